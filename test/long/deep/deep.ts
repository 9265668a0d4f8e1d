import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { withProgress } from '../../../src/cli/shared/progress.ts';
import { isInstalled } from '../../bench/load.ts';
import { cleanUpOnSignals } from '../../bench/processes.ts';
import { type CheckOptions, check } from '../../kit/check.ts';
import { everyInterleaving, everySequence, inChunks } from '../../kit/exhaustive.ts';
import { describeViolation } from '../../kit/linearizability/timeline.ts';
import type { Program } from '../../kit/program.ts';
import { Run } from '../../kit/run.ts';
import type { Target } from '../../kit/target.ts';
import { hardLife } from '../../support/power-cut/life.ts';
import { Recorder } from '../../support/power-cut/recording.ts';
import { startOn } from '../../support/power-cut/start.ts';
import { Random } from '../../support/random.ts';
import {
  decider,
  httpApp,
  memoryApp,
  sqliteApp,
  sqliteServerApp,
  twoWriters,
} from '../../support/targets.ts';
import { runRound } from '../chaos/round.ts';
import { DAMAGES, type Damage, damageStore } from '../flips/flips.ts';
import { stoppedPostgresStore } from '../flips/postgres-store.ts';
import { stoppedSqliteStore } from '../flips/sqlite-store.ts';
import { runRounds } from '../linearizability/rounds.ts';
import { BOUNDED, type Bounded } from './bounded.ts';

/**
 * The model for as long as it is given: new programs against every level, in turn, until the time
 * is over. The seeds are in the report, and the first counterexample ends it. docs/testing-kit.md
 * explains it.
 */

const MANY_CLIENTS = 'service, many clients at once';
const CHAOS = 'instances on PostgreSQL, killed again and again';
const POWER = 'a store on SQLite, without power at any moment';
/** The number of moments in one turn: each of so many programs meets so many cuts. */
const POWER_CUTS = { lives: 6, cuts: 60 };
/** The engines whose stopped stores are damaged by a disk, and how many copies in one turn. */
const ENGINES = {
  SQLite: { stopped: stoppedSqliteStore, copies: 1_000 },
  PostgreSQL: { stopped: stoppedPostgresStore, copies: 100 },
} as const;
type Engine = keyof typeof ENGINES;
const IN_WORDS: Readonly<Record<Damage['what'], string>> = {
  'flipped bit': 'one bit of each flipped',
  'misdirected page': 'one write of each misdirected',
  'lost page': 'one write of each lost',
};
/** The levels of damage. */
const DAMAGED = (Object.keys(ENGINES) as Engine[]).flatMap((engine) =>
  DAMAGES.map((what) => ({ name: `stores on ${engine}, ${IN_WORDS[what]}`, engine, what })),
);
cleanUpOnSignals();
const folder = mkdtempSync(join(tmpdir(), 'store-orders-deep-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${files++}.db`);
const newFolder = () => mkdtempSync(join(folder, 'place-'));

const WITH_RESTARTS = ['place', 'ship', 'cancel', 'get', 'list', 'restart'] as const;

/** The steps of a turn; each takes a few seconds. */
const LEVELS: readonly (readonly [Target, CheckOptions])[] = [
  [decider, { runs: 20_000 }],
  [memoryApp, { runs: 10_000, maxSteps: 40 }],
  [memoryApp, { runs: 30_000, together: 500 }],
  [sqliteApp(newFile), { runs: 20_000, together: 2_000 }],
  [sqliteServerApp(newFile), { runs: 20, does: WITH_RESTARTS }],
  [httpApp, { runs: 500, together: 50 }],
];

const { minutes, seed: given, only } = readOptions();

interface Result {
  readonly target: string;
  readonly options?: CheckOptions;
  readonly seed?: number;
  readonly programs: number;
  readonly steps: number;
  readonly stepsPerSecond: number;
  readonly broken?: string;
}

const begun = Date.now();
const deadline = begun + minutes * 60_000;
const report = join('reports', `deep-${new Date(begun).toISOString().replaceAll(':', '-')}.json`);
const results: Result[] = [];
mkdirSync('reports', { recursive: true });

await withProgress(process.stderr, 'Deep', minutes * 60_000, async (advance) => {
  // The seed that is given, then one after another: to run a seed again, give it.
  for (let seed = given; Date.now() < deadline; seed++) {
    for (const [target, options] of chosen()) {
      if (Date.now() >= deadline && results.length > 0) return;
      const broken = note(await timed(target, options, seed));
      advance(Math.min(Date.now() - begun, minutes * 60_000));
      if (broken !== undefined) return;
    }
    for (const [name, run] of [
      [MANY_CLIENTS, concurrent],
      [CHAOS, chaos],
      // The shim that records writes is compiled.
      ...(isInstalled('cc') ? ([[POWER, powerCuts]] as const) : []),
      ...DAMAGED.map((level) => [level.name, damages(level)] as const),
      ...Object.entries(BOUNDED).map(([target, run]) => [target, bounded(target, run)] as const),
    ] as const) {
      if (only !== undefined && only !== name) continue;
      if (Date.now() >= deadline && results.length > 0) return;
      const broken = note(await run(seed));
      advance(Math.min(Date.now() - begun, minutes * 60_000));
      if (broken !== undefined) return;
    }
  }
});
// Given the time, everything that is too much for every day.
if (minutes >= 5 && only === undefined && results.every(({ broken }) => broken === undefined)) {
  note(await enumerated('every sequence of 6, SQLite', sqliteApp(newFile), everySequence(6, 2)));
  note(await enumerated('every interleaving, 2 orders', twoWriters, everyInterleaving(3, 2)));
}

process.stdout.write(summary());
process.stdout.write(`The seeds are in ${report}.\n`);
process.exitCode = results.some(({ broken }) => broken !== undefined) ? 1 : 0;

async function timed(target: Target, options: CheckOptions, seed: number): Promise<Result> {
  const start = performance.now();
  const { runs, steps, counterexample } = await check(target, { ...options, seed });
  const { script } = counterexample ?? {};
  return {
    ...{ target: target.name, options, seed, programs: runs, steps },
    stepsPerSecond: Math.round((steps / (performance.now() - start)) * 1_000),
    ...(script === undefined ? {} : { broken: script }),
  };
}

/** Clients that get in each other's way at the service that production starts. */
async function concurrent(seed: number): Promise<Result> {
  const result = { target: MANY_CLIENTS, seed, programs: 0, steps: 0, stepsPerSecond: 0 };
  for await (const round of runRounds({ operations: 10_000, seed, clients: 32 })) {
    const { history, recorded, checked, violations } = round;
    result.programs += 1;
    result.steps += history.length;
    result.stepsPerSecond = Math.round(history.length / (recorded + checked));
    const [first] = violations;
    if (first !== undefined) return { ...result, broken: describeViolation(first) };
  }
  return result;
}

/** Instances, databases and connections that are ended while many clients ask. */
async function chaos(seed: number): Promise<Result> {
  const start = performance.now();
  const { history, broken } = await runRound({ operations: 5_000, seed, clients: 64 });
  const stepsPerSecond = Math.round((history.length / (performance.now() - start)) * 1_000);
  const result = { target: CHAOS, seed, programs: 1, steps: history.length, stepsPerSecond };
  return broken[0] === undefined ? result : { ...result, broken: broken[0] };
}

/** Programs on a store of which each ends by a stop, a kill or a power cut; a start follows each cut. */
async function powerCuts(seed: number): Promise<Result> {
  const start = performance.now();
  const [life, state] = [newFolder(), newFolder()].map((each) => join(each, 'state', 'store.db'));
  const result = { target: POWER, seed, programs: POWER_CUTS.lives, steps: 0, stepsPerSecond: 0 };
  const recorder = new Recorder(newFolder());
  for (const cut of hardLife(recorder, life as string, new Random(seed), POWER_CUTS)) {
    const broken = await startOn(state as string, cut);
    result.steps += 1;
    result.stepsPerSecond = Math.round((result.steps / (performance.now() - start)) * 1_000);
    if (broken !== undefined) return { ...result, broken: `cut ${result.steps}: ${broken}` };
  }
  return result;
}

/** Stores that a disk has damaged while they were stopped: every answer is right, or refused. */
function damages({ name: target, engine, what }: (typeof DAMAGED)[number]) {
  return async (seed: number): Promise<Result> => {
    const start = performance.now();
    const random = new Random(seed);
    const { stopped, copies: steps } = ENGINES[engine];
    await using store = await stopped(newFolder());
    const { wrong } = await damageStore(store, what, steps, () => random.fraction());
    const stepsPerSecond = (steps / (performance.now() - start)) * 1_000;
    const [first] = wrong;
    const result = { target, seed, programs: 1, steps, stepsPerSecond };
    return first === undefined ? result : { ...result, broken: JSON.stringify(first) };
  };
}

/** The service under a load that it has to bound: the same each time, whatever the seed. */
function bounded(target: string, run: (folder: string) => Promise<Bounded>) {
  return async (seed: number): Promise<Result> => {
    const start = performance.now();
    const { steps, broken } = await run(folder);
    const stepsPerSecond = (steps / (performance.now() - start)) * 1_000;
    const [first] = broken;
    const result = { target, seed, programs: 1, steps, stepsPerSecond };
    return first === undefined ? result : { ...result, broken: first };
  };
}

async function enumerated(
  name: string,
  target: Target,
  programs: Iterable<Program>,
): Promise<Result> {
  const start = performance.now();
  let [count, steps] = [0, 0];
  for (const chunk of inChunks(programs)) {
    const session = await target.open();
    const run = new Run(session);
    await run.together(chunk);
    await session.close?.();
    count += chunk.length;
    steps += run.steps;
  }
  const stepsPerSecond = Math.round((steps / (performance.now() - start)) * 1_000);
  return { target: `${target.name}: ${name}`, programs: count, steps, stepsPerSecond };
}

/** Keeps a result; written at once, so that what was run is known however this ends. */
function note(result: Result): string | undefined {
  results.push(result);
  writeFileSync(report, `${JSON.stringify({ minutes, results }, null, 2)}\n`);
  return result.broken;
}

function chosen(): typeof LEVELS {
  return only === undefined ? LEVELS : LEVELS.filter(([{ name }]) => name === only);
}

function summary(): string {
  const lines = [
    ...Map.groupBy(results, ({ target, options }) => {
      return `${target}${options?.together === undefined ? '' : `, ${options.together} at once`}`;
    }),
  ].map(([name, group]) => {
    const total = (pick: (result: Result) => number) =>
      group.reduce((sum, each) => sum + pick(each), 0);
    const seconds = total(({ steps, stepsPerSecond }) => steps / stepsPerSecond);
    const [programs, steps] = [total((each) => each.programs), total((each) => each.steps)];
    if (steps === 0) return `${name}: not possible on this machine\n`;
    return `${name}: ${programs} programs, ${steps} commands, ${Math.round(steps / seconds)}/s\n`;
  });
  return lines.join('') + results.flatMap(({ broken }) => broken ?? []).join('\n');
}

function readOptions() {
  const ofModel = new Set(LEVELS.map(([{ name }]) => name));
  const damaged = DAMAGED.map(({ name }) => name);
  const names = [...ofModel, MANY_CLIENTS, CHAOS, POWER, ...damaged, ...Object.keys(BOUNDED)];
  const command = new Command('npm run test:deep --')
    .description('Runs the model against every level for as long as it is given.')
    .option('--minutes <number>', 'how long', number, 10)
    .option('--seed <number>', 'the first seed, to run it again', number, Date.now() & 0x7fffffff)
    // Not just anything: a level that there is not would be passed by doing nothing.
    .addOption(new Option('--only <level>', 'one level only').choices(names))
    .parse();
  return command.opts<{ minutes: number; seed: number; only?: string }>();
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0) return value;
  throw new InvalidArgumentError('Not a number.');
}
