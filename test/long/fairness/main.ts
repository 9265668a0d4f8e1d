/** Two clients of one service, of which one is limited, in each place of a store. test/README.md explains it. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { cleanUpOnSignals } from '../../bench/processes.ts';
import { median } from '../../bench/row.ts';
import {
  type Outcome,
  type Place,
  ratioOf,
  roundsOf,
  runFairness,
  SITUATIONS,
  type Situation,
} from './fairness.ts';

const PLACES: readonly Place[] = ['sqlite', 'postgres'];

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Not a number from 1.');
  return Number(text);
};

const { only, ...numbers } = new Command('npm run test:fairness --')
  .description(
    'Sends ten times as many requests as a key may, and measures the latency of another key.',
  )
  .addOption(new Option('--only <place>', 'one place').choices(PLACES))
  .option('--rounds <number>', 'of all situations', wholeNumber, 8)
  .option('--seconds <number>', 'of each situation in a round', wholeNumber, 5)
  .option('--limit <number>', 'requests a second of the key; else a tenth of capacity', wholeNumber)
  .option('--steady <number>', 'requests a second of the other key', wholeNumber, 400)
  .option('--connections <number>', 'of the limited key', wholeNumber, 48)
  .option('--orders <number>', 'of the store: more than are cancelled', wholeNumber, 1_000_000)
  .option('--max-ratio <number>', 'of both 99th percentiles', Number, 1.2)
  .parse()
  .opts<
    { only?: Place; limit?: number } & Record<
      'rounds' | 'seconds' | 'steady' | 'connections' | 'orders' | 'maxRatio',
      number
    >
  >();

cleanUpOnSignals();
let broken = 0;
for (const place of only === undefined ? PLACES : [only]) {
  const outcome = await runFairness({ ...numbers, place });
  process.stdout.write(`${place}: limit ${outcome.limit}/s\n`);
  for (const situation of Object.keys(SITUATIONS) as Situation[]) {
    process.stdout.write(`  ${lineOf(outcome, situation)}\n`);
  }
  for (const words of outcome.broken) process.stdout.write(`${place} is broken: ${words}\n`);
  broken += outcome.broken.length;
}
process.exit(broken > 0 ? 1 : 0);

function lineOf({ rounds }: Outcome, situation: Situation): string {
  const all = roundsOf(rounds, situation);
  const middle = (share: 'p50' | 'p99') =>
    median(all.map(({ steady }) => steady.accepted[share])).toFixed(2);
  const sum = (kind: 'accepted' | 'refused') =>
    all.reduce((total, { other }) => total + (other?.[kind].count ?? 0), 0);
  const ratios = (['none', 'elsewhere'] as const).map((to) => ratioOf(rounds, situation, to));
  return (
    `${SITUATIONS[situation]}: median ${middle('p50')} ms, 99 % ${middle('p99')} ms, ` +
    `${ratios.map((ratio) => ratio.toFixed(2)).join(' and ')} times the first two; ` +
    `${sum('accepted')} accepted and ${sum('refused')} refused of the other`
  );
}
