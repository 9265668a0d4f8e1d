import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Command, InvalidArgumentError } from 'commander';
import { withProgress } from '../../../src/cli/shared/progress.ts';
import type { Searched } from './seeds.ts';
import { STATES, type WorldState } from './states.ts';
import type { PartFault } from './world.ts';

/** Searches simulated worlds for a broken promise. docs/testing.md explains it. */

interface Share {
  readonly first: number;
  readonly end: number;
  readonly shrinkMs: number;
  /** The name of a fault that is planted. */
  readonly fault: string | undefined;
}

const ADVANCE_EVERY = 20;

if (isMainThread) await main();
else await work(workerData as Share);

async function main(): Promise<void> {
  const wholeNumber = (text: string): number => {
    if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Not a whole number.');
    return Number(text);
  };
  const { seeds, seed, workers, shrink, fault } = new Command('npm run test:world --')
    .description('Runs the service in simulated worlds, with every fault, and checks its promises.')
    .option('--seeds <number>', 'the number of worlds', wholeNumber, 10_000)
    .option('--seed <number>', 'the seed of the first', wholeNumber, Date.now() % 1_000_000)
    .option('--shrink <seconds>', 'the longest time for the shortest story', wholeNumber, 60)
    .option('--fault <name>', 'plant a fault around the writer or the list')
    .option('--workers <number>', 'threads', wholeNumber, availableParallelism())
    .parse()
    .opts<Record<'seeds' | 'seed' | 'workers' | 'shrink', number> & { fault?: string }>();
  const each = Math.ceil(seeds / workers);
  const shares = Array.from({ length: workers }, (_, index) => ({
    first: seed + index * each,
    end: Math.min(seed + (index + 1) * each, seed + seeds),
    shrinkMs: shrink * 1_000,
    fault,
  })).filter(({ first, end }) => first < end);
  const begunMs = performance.now();
  const results = await withProgress(process.stderr, 'Worlds', seeds, async (advance) => {
    let done = 0;
    const add = (worlds: number) => {
      done += worlds;
      advance(done);
    };
    return Promise.all(shares.map((share) => inWorker(share, add)));
  });
  report(results, (performance.now() - begunMs) / 1_000, seed);
}

function inWorker(share: Share, add: (worlds: number) => void): Promise<Searched> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.on('message', (message: number | Searched) => {
      if (typeof message === 'number') add(message);
      else resolve(message);
    });
    worker.on('error', reject);
  });
}

async function faultOf(name: string | undefined): Promise<PartFault> {
  if (name === undefined) return {};
  const { PART_FAULTS } = await import('./mutants.ts');
  const fault = PART_FAULTS.find((each) => each.name === name);
  if (fault === undefined) throw new Error(`there is no fault ${name}`);
  return fault;
}

async function work({ first, end, shrinkMs, fault: name }: Share): Promise<void> {
  // Only here: the main thread runs no world, and loading the service takes as long as many worlds.
  const { search } = await import('./seeds.ts');
  const seeds = Array.from({ length: end - first }, (_, index) => first + index);
  let done = 0;
  const searched = await search(seeds, shrinkMs, await faultOf(name), () => {
    done += 1;
    if (done % ADVANCE_EVERY === 0) parentPort?.postMessage(ADVANCE_EVERY);
  });
  parentPort?.postMessage(searched);
}

function report(results: readonly Searched[], seconds: number, seed: number): void {
  const write = (line: string) => process.stdout.write(`${line}\n`);
  const sum = (of: (each: Searched) => number) => results.reduce((all, each) => all + of(each), 0);
  const countOf = (state: WorldState) => sum(({ reached }) => reached.get(state) ?? 0);
  for (const state of STATES) write(`${String(countOf(state)).padStart(6)}  ${state}`);
  const [found] = results.flatMap((each) => each.found ?? []);
  if (found !== undefined) {
    write(`\nSeed ${found.seed}: ${found.broken}\n`);
    for (const line of found.story) write(`  ${line}`);
  }
  const unreached = STATES.filter((state) => countOf(state) === 0);
  const worlds = sum((each) => each.worlds);
  write(
    `\n${worlds} worlds from seed ${seed}, ${sum((each) => each.happenings)} happenings in ` +
      `${seconds.toFixed(0)} s: ${found ? 'a promise is broken' : 'every promise was kept'}; ` +
      `${unreached.length === 0 ? 'every state was reached' : `${unreached.length} states were not reached`}`,
  );
  write(`digest ${results.map(({ digest }) => digest.slice(0, 16)).join(' ')}`);
  process.exitCode = found === undefined ? 0 : 1;
}
