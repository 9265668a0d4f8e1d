import { type Command, Option } from 'commander';
import type { NoteSigner } from '../app/audit/proving/checkpoint.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import { EVENT_TYPES } from '../app/log/recorded-event.ts';
import type {
  CallOptions,
  EventType,
  OrderEvent,
  RetryInfo,
  StoreOrders,
} from '../client/client.ts';
import { MAX_PAGE_ITEMS } from '../client/paged.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { type Deliver, toCommand, toUrl } from './shared/delivery.ts';
import { Follower } from './shared/follower.ts';
import { type Parked, readFollowed } from './shared/follower-file.ts';
import { interruptible, untilStopped } from './shared/interrupt.ts';
import { whileLocked } from './shared/new-file.ts';
import { httpUrl, readPosition, wholeNumber } from './shared/options.ts';
import { withOwnKey } from './shared/own-key.ts';
import { clauseOf, onOneLine, print, say } from './shared/print.ts';
import { type JsonOption, jsonLine, withJson } from './shared/results.ts';
import { callService, SERVICE_NOTES, type ServiceOptions, withService } from './shared/service.ts';
import { printTable } from './shared/table.ts';

const EXPLANATION = `
Delivers the events in order, one at a time: to the standard input of a command, which succeeds with
the exit code 0; or as a POST, which succeeds with a status of 2xx. The checkpoint is written after
each delivery: an event is delivered at least once, and after a crash the last one again.

A receiver that is away (no connection; status 429, 502, 503 or 504; exit code 75) is waited for. An
event at which it fails --tries times is parked, with all later events of its order: --parked shows
them, and --retry tries them again before it goes on. After status 410 the follower ends.

Posts are Standard Webhooks, signed (v1a) with the key of the log, SIGNING_KEY_FILE or the one beside
DATABASE_URL: store-orders audit public-key --webhook prints the key that verifies them.`;

interface FollowOptions extends ServiceOptions, JsonOption {
  readonly checkpoint: string;
  readonly exec?: string;
  readonly post?: string;
  readonly unsigned?: true;
  readonly after: string;
  readonly type?: EventType;
  readonly tries: number;
  readonly timeout: number;
  readonly once?: true;
  readonly parked?: true;
  readonly retry?: true;
}

/** Defines `follow`: delivers each event of a service to a command or a URL. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(withService(command))
    .requiredOption('--checkpoint <file>', 'the file that remembers how far it has come')
    .addOption(
      new Option('--exec <command>', 'run this in a shell for each event').conflicts('post'),
    )
    .option(
      '--post <address>',
      'post each event to this URL',
      httpUrl('https://shop.example.com/events'),
    )
    .option('--unsigned', 'do not sign the posts')
    .option('--after <position>', 'where a new checkpoint begins', readPosition, '0')
    .addOption(new Option('--type <type>', 'events of this type').choices(EVENT_TYPES))
    .option(
      '--tries <count>',
      'failures before an event is parked; 0: wait',
      wholeNumber(0, 1_000),
      8,
    )
    .option('--timeout <seconds>', 'the longest of a delivery', wholeNumber(1, 3_600), 20)
    .option('--once', 'end at the end of the log')
    .option('--retry', 'try the parked events first')
    .option('--parked', 'only show the parked events')
    .explain(`${EXPLANATION}\n${SERVICE_NOTES}`)
    .example(
      'Post each event',
      'follow --checkpoint shop.follow --post https://shop.example.com/events',
    )
    .example(
      'Deliver what is new to a program',
      'follow --checkpoint mail.follow --exec ./mail --once',
    )
    .example('Show what was put aside', 'follow --checkpoint shop.follow --parked')
    .action((options: FollowOptions) =>
      options.parked ? showParked(options, commandLine) : follow(options, command, commandLine),
    );
}

async function follow(
  options: FollowOptions,
  command: Command,
  commandLine: CommandLine,
): Promise<void> {
  const { checkpoint, tries, once, retry } = options;
  const { composition, terminal } = commandLine;
  const { deliver, signer } = await deliveryOf(options, command, commandLine);
  const taken = `Another follower is running on ${checkpoint}.`;
  const log = (line: string) => say(terminal.stderr, `${onOneLine(line)}\n`);
  const onInterrupt = ({ message }: Error, delayMs: number) => {
    const [reason, waitS] = [clauseOf(message), (delayMs / 1_000).toFixed(1)];
    log(`The log cannot be read: ${reason}. Next attempt in ${waitS} s`);
  };
  const onRetry = ({ error, delayMs }: RetryInfo) => onInterrupt(error, delayMs);
  const run = once ? interruptible : untilStopped;
  await whileLocked(checkpoint, composition.lock, taken, (file) =>
    run((signal) =>
      callService({ ...options, onRetry }, commandLine, async (service) => {
        const first = () => firstOf(service, signal);
        const patience = once ? { signal } : patient(signal);
        const checked = withOwnKey(deliver, signer, service, patience);
        const given = { file, deliver: checked, first, tries, signal, log };
        const follower = new Follower(given, options.after);
        if (retry) await follower.retryParked();
        log(`Following after position ${follower.after}`);
        const following = { ...options, once: once === true, signal, onInterrupt };
        const isAtEnd = await deliverAll(service, follower, following);
        log(`${isAtEnd ? 'The log ends' : 'Stopped'} after position ${follower.after}`);
        if (!isAtEnd) signal.throwIfAborted();
      }),
    ),
  );
}

interface Following extends Pick<FollowOptions, 'type'> {
  readonly once: boolean;
  readonly signal: AbortSignal;
  /** Called when the log cannot be read, before the wait for another attempt. */
  readonly onInterrupt: (error: Error, delayMs: number) => void;
}

/** Hands the events to the follower. Returns true at the end of the log, false if the signal aborts. */
async function deliverAll(
  { events }: StoreOrders,
  follower: Follower,
  { type, once, signal, onInterrupt }: Following,
): Promise<boolean> {
  const query = { after: follower.after, type };
  const onCheckpoint = (position: string) => follower.reach(position);
  const read = once
    ? events.list({ ...query, limit: MAX_PAGE_ITEMS }, { signal })
    : events.follow({ ...query, signal, onCheckpoint, onInterrupt });
  for await (const event of read) {
    if (!(await follower.handle(event))) return false;
  }
  return once;
}

/** Returns the first event of a log, if it has one, however long the service is away. */
async function firstOf(
  { events }: StoreOrders,
  signal: AbortSignal,
): Promise<OrderEvent | undefined> {
  const { value } = await events.list({ limit: 1 }, patient(signal)).pages().next();
  return value?.data[0];
}

function patient(signal: AbortSignal): CallOptions {
  return { signal, timeoutMs: Infinity, retries: Infinity };
}

async function deliveryOf(
  { exec, post, unsigned, timeout }: FollowOptions,
  command: Command,
  { composition }: CommandLine,
): Promise<{ readonly deliver: Deliver; readonly signer?: NoteSigner }> {
  const timeoutMs = timeout * 1_000;
  if (exec !== undefined) return { deliver: toCommand(exec, timeoutMs) };
  if (post === undefined) return command.error('error: name a receiver: --exec or --post');
  if (unsigned) return { deliver: toUrl(post, timeoutMs, undefined) };
  const signer = await composition.signer();
  if (signer !== undefined) return { deliver: toUrl(post, timeoutMs, signer), signer };
  throw new UserError(
    'There is no key to sign the posts with: set SIGNING_KEY_FILE, or run it beside the store. To ' +
      'post without signatures, pass --unsigned.',
  );
}

async function showParked(
  { checkpoint: file, json }: FollowOptions,
  { terminal: { stdout } }: CommandLine,
): Promise<void> {
  const followed = readFollowed(file);
  if (followed === undefined) throw new UserError(`There is no checkpoint ${file}.`);
  if (json) return print(followed.parked.values().map(jsonLine), stdout);
  await printTable(stdout, PARKED_COLUMNS, followed.parked.map(rowOf), ['parked', 'reason']);
}

const PARKED_COLUMNS = ['position', 'event', 'order', 'parked', 'tries', 'reason'] as const;

function rowOf({ event, at, tries, reason }: Parked): string[] {
  return [String(event.position), event.type, event.subject, at, String(tries), reason];
}
