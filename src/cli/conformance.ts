import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Option } from 'commander';
// By its published name, so that the command uses the same kit as everybody.
import type * as Kit from 'store-orders/testing';
import { UserError } from '../app/lifecycle/user-error.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { unfinished } from './shared/exit-codes.ts';
import { requireWritable, writeOver } from './shared/new-file.ts';
import { httpUrl, wholeNumber } from './shared/options.ts';
import { say } from './shared/print.ts';
import { withProgress } from './shared/progress.ts';

interface ConformanceOptions {
  readonly key: string;
  readonly revokedKey?: string;
  readonly runs: number;
  readonly seed?: number;
  readonly concurrency: number;
  readonly orders?: number;
  readonly deep?: boolean;
  readonly pause: number;
  readonly maxTime: number;
  readonly shrinkTime: number;
  readonly bail?: boolean;
  readonly readOnly?: boolean;
  readonly contractOnly?: boolean;
  readonly adapter?: string;
  readonly traces?: string;
  readonly junit?: string;
  readonly json?: string;
}

const readBaseUrl = httpUrl(
  'http://127.0.0.1:3000/v1',
  ({ search, hash }) => search === '' && hash === '',
);

const EXPLANATION = `
It places orders of its own and touches no others; with --read-only it sends nothing but GET. The
exit code is 1 where a rule is broken, and the report then shows the shortest way there. It is 9 if
none was broken before --max-time was over, and so some checks did not run.`;

/** Defines `conformance`: tests any server against the contract. */
export function define(command: ExplainedCommand, { terminal }: CommandLine): void {
  command
    .argument('<base-url>', 'where its API is: http://127.0.0.1:3000/v1', readBaseUrl)
    .addOption(
      new Option('--key <key>', 'an API key; better in the environment than on the command line')
        .env('STORE_ORDERS_KEY')
        .makeOptionMandatory(),
    )
    .option('--revoked-key <key>', 'a revoked key, to check that it is refused')
    .option('--runs <number>', 'programs that the model runs', wholeNumber(1, 1_000_000), 100)
    .option(
      '--seed <number>',
      'repeat the programs of an earlier run',
      wholeNumber(0, 2_147_483_647),
    )
    .option('--concurrency <number>', 'programs at once', wholeNumber(1, 256), 4)
    .option('--orders <number>', 'orders placed in all (default: 1100)', wholeNumber(0, 1_000_000))
    .option(
      '--deep',
      'place 11,000 orders, keep 1,200 Idempotency-Keys (not 120), try what is rare more',
    )
    .option('--pause <seconds>', 'before everything is compared again', wholeNumber(0, 3_600), 4)
    .option(
      '--max-time <seconds>',
      'from the start: after it no check begins',
      wholeNumber(1, 86_400),
      600,
    )
    .option(
      '--shrink-time <seconds>',
      'the longest search for a plainer failure, for each check',
      wholeNumber(0, 3_600),
      10,
    )
    .option('--bail', 'end after the first check that fails')
    .option('--read-only', 'send nothing but GET: safe for a server in production')
    .option('--contract-only', 'leave out what is not in the contract')
    .option('--adapter <file>', 'a module with place() and ship(), for a server with another API')
    .option('--traces <folder>', 'replay the traces of the executable specification in it')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--json <file>', 'write the report as JSON')
    .explain(EXPLANATION)
    .example(
      'Check a server in production, sending nothing but GET',
      'conformance https://api.example.com/v1 --read-only',
    )
    .action((baseUrl: string, options: ConformanceOptions) => run(baseUrl, options, terminal));
}

async function run(
  baseUrl: string,
  options: ConformanceOptions,
  { stdout, stderr }: CommandLine['terminal'],
): Promise<void> {
  const { adapter: file, traces: folder, junit, json, ...rest } = options;
  for (const report of [junit, json]) if (report !== undefined) requireWritable(report);
  const begun = performance.now();
  const adapter = file === undefined ? {} : await loadAdapter(file, rest.maxTime);
  // Loaded here, because no other command needs it.
  const kit = await import('store-orders/testing');
  const traces = folder === undefined ? {} : { traces: await readTraces(kit, folder) };
  const passed = (performance.now() - begun) / 1_000;
  const given = { ...rest, ...traces, maxTime: Math.max(0, rest.maxTime - passed) };
  const report = await withProgress(stderr, 'Checking', kit.workOf(given), (advance) =>
    kit.runConformance({ baseUrl, ...given, adapter, advance }).catch(rethrowReadably),
  );
  say(stdout, kit.asText(report));
  if (junit !== undefined) await writeOver(junit, kit.asJUnit(report));
  if (json !== undefined) await writeOver(json, `${JSON.stringify(report, null, 2)}\n`);
  if (report.failed > 0) throw new UserError(verdict(report));
  if (report.unfinished > 0) throw unfinished(shortfall(report, rest.maxTime));
}

function verdict({ baseUrl, checks, failed }: Kit.Report): string {
  const beyond = checks.filter(({ result, basis }) => result === 'failed' && basis === 'promise');
  const broken = `${baseUrl} breaks ${failed === 1 ? 'a rule' : `${failed} rules`}`;
  if (beyond.length === 0) return `${broken} of the contract.`;
  // Without --contract-only, the other checks accept only this service's answers, too.
  const count =
    beyond.length === failed ? ' that Store Orders promises' : `, ${beyond.length} of them`;
  return `${broken}${count} beyond the contract; --contract-only checks the contract alone.`;
}

function shortfall({ checks, unfinished }: Kit.Report, seconds: number): string {
  const time = seconds === 1 ? '1 second' : `${seconds} seconds`;
  return (
    `${unfinished} of ${checks.length} checks did not run, or not to their end: the time of ${time} was ` +
    'over. Allow more with --max-time.'
  );
}

function rethrowReadably(error: Error): never {
  if (error.name !== 'CannotCheck') throw error;
  throw new UserError(`Nothing was checked: ${error.message}.`);
}

function readTraces(kit: typeof Kit, folder: string): Promise<readonly Kit.ItfTrace[]> {
  return kit.itfTraces(folder).catch((error: Error) => {
    throw new UserError(`There are no traces in ${folder}: ${error.message}.`);
  });
}

async function loadAdapter(file: string, seconds: number): Promise<Kit.Adapter> {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new UserError(`There is no adapter ${file}.`);
  // To load a pipe would last until somebody writes into it.
  if (!stats.isFile())
    throw new UserError(`The adapter ${file} cannot be loaded: it is not a file`);
  const loaded = import(pathToFileURL(resolve(file)).href).catch((error: Error) => {
    throw new UserError(`The adapter ${file} cannot be loaded: ${error.message}`);
  });
  const ended = new AbortController();
  const late = wait(1_000 * seconds, undefined, ended).then(() => {
    throw new UserError(`The adapter ${file} cannot be loaded: an await in it has no end.`);
  });
  const { place, ship } = await Promise.race([loaded, late]).finally(() => ended.abort());
  if (place === undefined && ship === undefined) {
    throw new UserError(`${file} exports neither place nor ship.`);
  }
  for (const [name, value] of Object.entries({ place, ship })) {
    if (!['function', 'undefined'].includes(typeof value)) {
      throw new UserError(`${file} exports a ${name} that is not a function.`);
    }
  }
  return { ...(place && { place }), ...(ship && { ship }) };
}
