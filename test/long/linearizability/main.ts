import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Command, InvalidArgumentError } from 'commander';
import { withProgress } from '../../../src/cli/shared/progress.ts';
import { cleanUpOnSignals } from '../../bench/processes.ts';
import type { Answer } from '../../kit/history/history.ts';
import { decodeHistory, encodeHistory } from '../../kit/history/history-file.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation } from '../../kit/linearizability/timeline.ts';
import type { Violation } from '../../kit/linearizability/violation.ts';
import { type Round, runRounds } from './rounds.ts';

/**
 * Many concurrent requests to the service, and whether all it answered is linearizable; or a
 * history that was kept, judged again. docs/linearizability.md explains it.
 */

interface Options {
  readonly operations: number;
  readonly seed: number;
  readonly clients: number;
  readonly check?: string;
}

/** The folder for histories that are not linearizable. */
const KEPT = 'reports/linearizability';
/** Of many violations the first few tell enough. */
const SHOWN_VIOLATIONS = 5;

const HEAD = [
  'seed',
  'requests',
  'orders',
  'lists',
  'refused',
  'no answer',
  'at once',
  'recorded in',
  'checked in',
  'violations',
];

cleanUpOnSignals();
const options = readOptions(process.argv.slice(2));
const isRight = options.check === undefined ? await runAll(options) : checkFile(options.check);
process.exit(isRight ? 0 : 1);

function readOptions(args: readonly string[]): Options {
  const command = new Command('npm run test:linearizability --')
    .description(
      'Records concurrent requests to the service and checks that they are linearizable.',
    )
    .option('--operations <number>', 'how many requests', wholeNumber, 100_000)
    .option('--seed <number>', 'of the first round', wholeNumber, Date.now() % 1_000_000)
    .option('--clients <number>', 'how many at once', wholeNumber, 32)
    .option('--check <file>', 'judge a history that was kept instead');
  command.parse([...args], { from: 'user' });
  return command.opts<Options>();
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('Not a number from 1.');
  return Number(text);
}

async function runAll({ operations, seed, clients }: Options): Promise<boolean> {
  const table = new Table({ head: HEAD, style: { head: [], border: [] } });
  let isRight = true;
  await withProgress(process.stderr, 'requests', operations, async (advance) => {
    for await (const round of runRounds({ operations, seed, clients, advance })) {
      if (round.violations.length > 0) {
        isRight = false;
        report(round.violations, keep(round));
      }
      table.push(cellsOf(round));
    }
  });
  process.stdout.write(`${table}\n`);
  return isRight;
}

function cellsOf({ seed, history, atOnce, recorded, checked, violations }: Round): string[] {
  const answers = Map.groupBy(history, ({ answer }) => answer.kind);
  const count = (kind: Answer['kind']) => answers.get(kind)?.length ?? 0;
  const placed = answers.get('accepted')?.filter(({ request }) => request.kind === 'place') ?? [];
  const counts = [history.length, placed.length, count('listed'), count('refused')];
  const cells = [seed, ...counts, count('unknown'), atOnce].map(String);
  return [...cells, `${recorded.toFixed(1)} s`, `${checked.toFixed(2)} s`, `${violations.length}`];
}

function checkFile(file: string): boolean {
  const history = decodeHistory(readFileSync(file, 'utf8'));
  const violations = check(history);
  process.stdout.write(`${history.length} requests, ${violations.length} violations\n`);
  report(violations, file);
  return violations.length === 0;
}

function keep({ seed, history }: Round): string {
  mkdirSync(KEPT, { recursive: true });
  const file = join(KEPT, `seed-${seed}.ndjson`);
  writeFileSync(file, encodeHistory(history));
  return file;
}

function report(violations: readonly Violation[], file: string): void {
  for (const violation of violations.slice(0, SHOWN_VIOLATIONS)) {
    process.stdout.write(`${describeViolation(violation)}\n\n`);
  }
  const more = violations.length - SHOWN_VIOLATIONS;
  if (more > 0) process.stdout.write(`… and ${more} more.\n`);
  if (violations.length > 0) process.stdout.write(`The history is in ${file}.\n\n`);
}
