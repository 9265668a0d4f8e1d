/** Overload, for as long as is asked for, in each place of a store. test/README.md explains it. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { isInstalled } from '../../bench/load.ts';
import { cleanUpOnSignals } from '../../bench/processes.ts';
import type { Latencies, Seen } from './generator.ts';
import { type Load, type Place, productOfSmallBatches, runOverload } from './overload.ts';

const PLACES: readonly Place[] = ['sqlite', 'slow disk', 'postgres'];

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Not a number from 1.');
  return Number(text);
};

const count = (text: string): number => (text === '0' ? 0 : wholeNumber(text));

const inWords = ({ p50, p99 }: Latencies) => `p50 ${Math.round(p50)}, p99 ${Math.round(p99)} ms`;

const { only, ...numbers } = new Command('npm run test:overload --')
  .description(
    'Sends ten times as many commands as the service can record, and checks the answers.',
  )
  .addOption(new Option('--only <place>', 'one place').choices(PLACES))
  .option('--seconds <number>', 'how long', wholeNumber, 60)
  .option('--connections <number>', 'of the open loop', wholeNumber, 1_024)
  .option('--readers <number>', 'connections that read beside it (0: none)', count, 0)
  .option('--orders <number>', 'of the store: more than can be cancelled', wholeNumber, 2_500_000)
  .option('--batch <number>', 'commands of the largest batch, for a slow log', wholeNumber, 1_024)
  .option('--flush-ms <number>', 'by which flushes of the slow disk are slower', wholeNumber, 2)
  .parse()
  .opts<
    { only?: Place } & Record<
      'seconds' | 'connections' | 'readers' | 'orders' | 'batch' | 'flushMs',
      number
    >
  >();

cleanUpOnSignals();
let broken = 0;
for (const place of only === undefined ? PLACES : [only]) {
  if (place === 'slow disk' && !isInstalled('cc') && !isInstalled('strace')) {
    process.stdout.write(`${place}: skipped, for want of cc and strace\n`);
    continue;
  }
  const root = productOfSmallBatches(numbers.batch);
  const load: Load = { ...numbers, place, root, fewConnections: Math.min(512, 2 * numbers.batch) };
  const { capacity, goodput, seen, reads, probes, refusalMs, rssMb, ...its } =
    await runOverload(load);
  process.stdout.write(
    `${place}: capacity ${capacity}/s, goodput ${goodput}/s; ${wordsOf('commands', seen)}; ` +
      `99 % of the refused within ${refusalMs} ms of their arrival; ${rssMb.join(' to ')} MB\n` +
      `  beside them ${reads === undefined ? '' : `${wordsOf('reads', reads)}; `}${wordsOf('probes', probes)}\n`,
  );
  for (const words of its.broken) process.stdout.write(`${place} is broken: ${words}\n`);
  broken += its.broken.length;
}
process.exit(broken > 0 ? 1 : 0);

function wordsOf(
  requests: string,
  { scheduled, sent, accepted, refused, unanswered }: Seen,
): string {
  return (
    `of ${scheduled} ${requests} scheduled, ${sent} sent: ` +
    `${accepted.count} accepted (${inWords(accepted)}), ` +
    `${refused.count} refused (${inWords(refused)}), ${unanswered} unanswered`
  );
}
