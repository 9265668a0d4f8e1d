/** The service under load and beside hostile clients, each in short: what `npm run test:deep` runs of it. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isInstalled } from '../../bench/load.ts';
import { BRIEF as FAIRNESS, runFairness } from '../fairness/fairness.ts';
import { memoryGroups, runWithin } from '../memory/memory.ts';
import {
  BRIEF_BATCH,
  BRIEF as OVERLOAD,
  productOfSmallBatches,
  runOverload,
} from '../overload/overload.ts';

export interface Bounded {
  /** The number of requests or tests; 0 where this machine cannot run them. */
  readonly steps: number;
  /** What does not hold, in words. */
  readonly broken: readonly string[];
}

/** The tests of clients that send or read as they should not. */
const HOSTILE = ['hostile-clients', 'slow-readers', 'long-reads', 'key-limits', 'rate-limit'];
const MILLION = { orders: 1_000_000, limitMb: 512 };
const NOT_POSSIBLE: Bounded = { steps: 0, broken: [] };

/** Every run, by its name. Each gets a folder for what it writes. */
export const BOUNDED: Readonly<Record<string, (folder: string) => Promise<Bounded>>> = {
  'service, ten times its capacity': overload,
  'service, a key beyond its limits': fairness,
  'service, slow and hostile clients': hostile,
  'service, a million orders within 512 MB': memory,
};

/** `npm run test:overload` measures it for longer, and on every store. */
async function overload(): Promise<Bounded> {
  // A disk is slowed down by one of the two.
  if (!isInstalled('cc') && !isInstalled('strace')) return NOT_POSSIBLE;
  const { seen, broken } = await runOverload({
    ...OVERLOAD,
    root: productOfSmallBatches(BRIEF_BATCH),
  });
  return { steps: seen.sent, broken };
}

/** `npm run test:fairness` measures it for longer, and compares latencies. */
async function fairness(): Promise<Bounded> {
  const { rounds, broken } = await runFairness(FAIRNESS);
  const steps = rounds.reduce(
    (sum, { steady, other }) => sum + steady.sent + (other?.sent ?? 0),
    0,
  );
  return { steps, broken };
}

interface TestReport {
  readonly numTotalTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The same tests as in `npm test`. */
async function hostile(folder: string): Promise<Bounded> {
  const report = join(folder, 'hostile.json');
  const files = HOSTILE.map((name) => `test/e2e/http/${name}.test.ts`);
  const given = ['run', '--project', 'service', '--reporter', 'json', '--outputFile', report];
  // It fails if a test does: the report has their names.
  await promisify(execFile)('vitest', [...given, ...files], { maxBuffer: 2 ** 28 }).catch(() => {});
  const { numTotalTests, testResults } = JSON.parse(readFileSync(report, 'utf8')) as TestReport;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  return { steps: numTotalTests, broken: failed.map(({ fullName }) => fullName) };
}

/** Every operation once, where this process may bound the memory of others. */
async function memory(): Promise<Bounded> {
  const groups = memoryGroups();
  if (groups === undefined) return NOT_POSSIBLE;
  const { answers, broken } = await runWithin(groups, MILLION);
  return { steps: answers, broken };
}
