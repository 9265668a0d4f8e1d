import { InvalidArgumentError } from 'commander';
import { Monitor } from '../app/audit/monitor/monitor.ts';
import { CLOCKS, nearestNow } from '../app/clock.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import { LogAway, type PublishedLog } from '../app/ports/published-log.ts';
import { guardSecret } from '../app/secrets.ts';
import { pause } from '../client/limit.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine, Environment, Output } from './shared/command-line.ts';
import { interruptible, untilStopped } from './shared/interrupt.ts';
import { MonitorMemory } from './shared/monitor-memory.ts';
import {
  type Alert,
  alertOf,
  type CheckpointFiles,
  failureOf,
  type Reported,
  reportOf,
} from './shared/monitor-report.ts';
import { whileLocked } from './shared/new-file.ts';
import { addKey, duration } from './shared/options.ts';
import { say } from './shared/print.ts';
import { LogInFolder, LogOnServer } from './shared/published-files.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';
import { endInWords, runInShell } from './shared/shell-command.ts';

const ALERT_TIMEOUT_MS = 60_000;

const EXPLANATION = `
Follows a log from outside by what it publishes (C2SP tlog-tiles): below /tlog of the service, or in
a folder that "audit tiles" has written. Each round verifies the checkpoint, that the log still
begins with all that it had signed before, all new tiles, and all new records. The records need a
key with audit:read, which STORE_ORDERS_KEY gives; without one only the hashes are checked.

The state grows by 41 bytes an event in two files beside that of --state: the hash of each event, and
its order and type. Signed checkpoints whose tiles did not come are kept in a third file, and compared
with every later tree. Whoever can change the state can hide a fork.

An alert ends the monitor: at once if the log has forked or was cut (both signed checkpoints are kept
beside the state) or has published what cannot be right (a new checkpoint is kept, if it was signed);
otherwise if no round was verified for as long as --alert-after says. The command of --exec is run before
the end, with STORE_ORDERS_ALERT (forked, cut, refuted or silent), STORE_ORDERS_ALERT_TEXT,
STORE_ORDERS_MONITOR_STATE, and the files that are kept: STORE_ORDERS_OTHER_CHECKPOINT, and after the first
two also STORE_ORDERS_KNOWN_CHECKPOINT.

Exit codes: 0 verified, 1 a failure of this machine, 2 a usage error, 3 the log has published what
cannot be right, 5 it refuses to answer, 6 it has not answered or has sent an earlier state,
7 it has forked, 8 it was cut.`;

interface MonitorOptions extends JsonOption {
  readonly url: string;
  readonly vkey: readonly string[];
  readonly state: string;
  readonly key?: string;
  readonly hashesOnly?: true;
  readonly interval: number;
  readonly alertAfter: number;
  readonly once?: true;
  readonly acceptEpoch?: string;
  readonly exec?: string;
}

/** Defines `monitor`: follows a published log and alerts if it contradicts itself. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command, 'one line a round')
    .requiredOption(
      '--url <url>',
      'the address of the log, https://orders.example.com/tlog, or a folder',
      readAddress,
    )
    .requiredOption(
      '--vkey <key>',
      'the public key of the log, or a file with it; repeatable',
      addKey,
    )
    .requiredOption('--state <file>', 'the file that remembers what was verified')
    .option('--key <key>', 'an API key with audit:read, to check the records')
    .option('--hashes-only', 'do not check the records')
    .option('--interval <time>', 'the time between rounds: 60, 60s, 5m', duration(86_400), 60)
    .option('--once', 'end after one round')
    .option(
      '--accept-epoch <epoch>',
      'go on with a log that was cut, in the epoch that an alert has named',
      readEpoch,
    )
    .option('--exec <command>', 'run this in a shell before it ends with an alert')
    .option(
      '--alert-after <time>',
      'alert if no round was verified for so long: 30m, 12h',
      duration(2_592_000),
      3_600,
    )
    .explain(EXPLANATION)
    .example(
      'Follow a log',
      'monitor --url https://orders.example.com/tlog --vkey log.vkey --state log.state',
    )
    .example(
      'Do one round, from a timer',
      'monitor --url https://orders.example.com/tlog --vkey log.vkey --state log.state --once',
    )
    .action((options: MonitorOptions) => monitor(options, commandLine));
}

async function monitor(options: MonitorOptions, commandLine: CommandLine): Promise<void> {
  const { composition } = commandLine;
  const taken = `Another monitor is running on ${options.state}.`;
  await whileLocked(options.state, composition.lock, taken, async (file) => {
    const memory = new MonitorMemory(file);
    try {
      const run = options.once ? interruptible : untilStopped;
      await run((signal) => follow(options, commandLine, memory, signal));
    } finally {
      memory.close();
    }
  });
}

/** Does rounds until one leads to an alert, which is thrown; with `once`, a single one. */
async function follow(
  options: MonitorOptions,
  { composition, terminal: { stdout, stderr } }: CommandLine,
  memory: MonitorMemory,
  signal: AbortSignal,
): Promise<void> {
  const { log, withRecords } = publishedLog(options, composition.environment, signal);
  if (!withRecords) stderr.write('Only the hashes are checked, and not the records.\n');
  const { vkey: keys, once = false, interval, alertAfter, acceptEpoch: acceptedEpoch } = options;
  const decode = withRecords ? await composition.decoder() : undefined;
  const [state, unproven] = [memory.state(keys), memory.unproven(keys)];
  const watching = new Monitor(log, memory, { keys, decode, acceptedEpoch }, state, unproven);
  let verified = CLOCKS.elapsed();
  while (!signal.aborted) {
    const round = await roundOf(watching);
    if (round.kind === 'verified') verified = CLOCKS.elapsed();
    const files = await keptOf(round, memory, stderr);
    const failure = failureOf(round);
    const isSilent = !once && CLOCKS.elapsed() - verified >= alertAfter * 1_000;
    const alert = failure && alertOf(round, isSilent);
    const report = reportOf(round, nearestNow(), files);
    if (failure === undefined || options.json) printResult(stdout, options, report);
    if (alert !== undefined) await raise(alert, failure?.message ?? '', files, options, stderr);
    if (failure !== undefined && (once || alert !== undefined)) throw failure;
    if (failure !== undefined) say(stderr, report.text);
    if (once) return;
    await pause(interval * 1_000, signal);
  }
}

async function roundOf(monitor: Monitor): Promise<Reported> {
  try {
    return await monitor.round();
  } catch (error) {
    if (!(error instanceof LogAway)) throw error;
    return { kind: 'away', problem: error.message, isRefused: error.isRefused };
  }
}

/**
 * Keeps the signed checkpoints that an alert is about, and returns the names of their files; `undefined` if that
 * fails, which is reported with the checkpoint: no alert waits for space on a disk.
 */
async function keptOf(
  round: Reported,
  memory: MonitorMemory,
  stderr: Output,
): Promise<CheckpointFiles | undefined> {
  const contradiction = round.kind === 'verified' ? round.cut : round;
  if (contradiction === undefined || !('other' in contradiction)) return undefined;
  const { other } = contradiction;
  const of = round.kind === 'forked' ? 'fork' : 'known' in contradiction ? 'cut' : 'refuted';
  try {
    const kept = { other: await memory.keep(other, of) };
    if (!('known' in contradiction)) return kept;
    return { known: await memory.keep(contradiction.known, of), ...kept };
  } catch (error) {
    say(stderr, `${(error as Error).message}. The checkpoint that is not kept:\n${other.note}`);
    return undefined;
  }
}

/** Runs the command of `--exec`. Its failure is reported, and the alert goes on. */
async function raise(
  alert: Alert,
  text: string,
  files: CheckpointFiles | undefined,
  { exec, state }: MonitorOptions,
  stderr: Output,
): Promise<void> {
  if (exec === undefined) return;
  const environment = {
    STORE_ORDERS_ALERT: alert,
    STORE_ORDERS_ALERT_TEXT: text,
    STORE_ORDERS_MONITOR_STATE: state,
    ...(files && {
      STORE_ORDERS_KNOWN_CHECKPOINT: files.known,
      STORE_ORDERS_OTHER_CHECKPOINT: files.other,
    }),
  };
  const ended = await runInShell(exec, { timeoutMs: ALERT_TIMEOUT_MS, environment });
  if (ended.code !== 0) {
    say(stderr, `The command of --exec has failed: ${endInWords(ended, ALERT_TIMEOUT_MS)}.\n`);
  }
}

/** Returns the log at an address or in a folder, and whether its records can be read. */
function publishedLog(
  { url, key, hashesOnly }: MonitorOptions,
  { STORE_ORDERS_KEY }: Environment,
  signal: AbortSignal,
): { readonly log: PublishedLog; readonly withRecords: boolean } {
  if (!SERVER.test(url)) return { log: new LogInFolder(url, signal), withRecords: !hashesOnly };
  const given = key ?? (STORE_ORDERS_KEY || undefined);
  if (given !== undefined) {
    guardSecret(given);
    if (!IN_HEADER.test(given)) throw new UserError('The API key has a character that none has.');
  }
  return {
    log: new LogOnServer(url, given, signal),
    withRecords: given !== undefined && !hashesOnly,
  };
}

/** The number of an epoch, and what makes it unique. */
const EPOCH = /^\d+\.[\da-f]{32}$/;

function readEpoch(text: string): string {
  if (EPOCH.test(text)) return text;
  throw new InvalidArgumentError('It must be the id of an epoch, as the alert has named it.');
}

/** The characters that a header can carry. */
const IN_HEADER = /^[\x21-\x7e]+$/;
const SERVER = /^https?:\/\//i;

function readAddress(text: string): string {
  if (!SERVER.test(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.href !== `${url.origin}${url.pathname}`) {
    throw new InvalidArgumentError('It must be an address without a password or a query.');
  }
  return url.href;
}
