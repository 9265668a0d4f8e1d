import { Command, InvalidArgumentError } from 'commander';
import { withProgress } from '../../../src/cli/shared/progress.ts';
import { runRound } from './round.ts';

/** Rounds of chaos until so much was done. docs/postgresql.md explains it. */

const wholeNumber = (text: string): number => {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Not a number from 1.');
  return Number(text);
};

const options = new Command('npm run test:chaos --')
  .description('Kills instances and databases under many clients, and checks what these were told.')
  .option('--kills <number>', 'until so many processes were killed', wholeNumber, 100)
  .option('--cuts <number>', 'and so many replies of the database were cut', wholeNumber, 1_000)
  .option('--operations <number>', 'how many requests a round makes', wholeNumber, 10_000)
  .option('--seed <number>', 'of the first round', wholeNumber, (Date.now() % 1_000_000) + 1)
  .option('--clients <number>', 'how many at once', wholeNumber, 64)
  .option('--instances <number>', 'how many share the database', wholeNumber, 3)
  .option('--no-keys', 'clients give no idempotency keys, and never ask again')
  .parse()
  .opts<
    Record<'kills' | 'cuts' | 'operations' | 'seed' | 'clients' | 'instances', number> & {
      keys: boolean;
    }
  >();

const { kills, cuts, operations, clients, instances, keys: withKeys } = options;
let [killed, cut, seed, broken] = [0, 0, options.seed, false];
while ((killed < kills || cut < cuts) && !broken) {
  const outcome = await withProgress(process.stderr, `Round ${seed}`, operations, (advance) =>
    runRound({ seed, operations, clients, instances, withKeys, advance }),
  );
  const { history, instancesKilled, databaseKilled, failovers, sessionsEnded } = outcome;
  const answers = Map.groupBy(history, ({ answer }) => answer.kind);
  const counted = [...answers].map(([kind, each]) => `${each.length} ${kind}`).join(', ');
  killed += instancesKilled + databaseKilled + failovers;
  cut += outcome.repliesCut;
  broken = outcome.broken.length > 0;
  process.stdout.write(
    `seed ${seed}: ${history.length} requests (${counted}); killed ${instancesKilled} instances, ` +
      `${databaseKilled} databases, ${failovers} failovers, ${sessionsEnded} sessions ended, ` +
      `${outcome.repliesCut} replies cut; ${outcome.broken.length} broken\n`,
  );
  for (const words of outcome.broken.slice(0, 5)) process.stdout.write(`${words}\n`);
  seed += 1;
}
process.stdout.write(`${killed} kills, ${cut} replies cut\n`);
process.exitCode = broken ? 1 : 0;
