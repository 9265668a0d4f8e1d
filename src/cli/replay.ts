import { setImmediate } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import { UserError } from '../app/lifecycle/user-error.ts';
import type { Place } from '../app/log/epochs.ts';
import { PLACE } from '../app/log/positions.ts';
import type { FoldInput } from '../app/log/recorded-event.ts';
import type { CommandLineStore } from '../app/ports/store.ts';
import { foldSourceOf } from '../app/read/fold-source-of-log.ts';
import { type Moment, parseMoment, positionAt } from '../app/read/moment.ts';
import { CSV_HEADER, orderToCsv } from '../app/read/order-csv.ts';
import { orderToJson, orderToJsonV2 } from '../app/read/order-json.ts';
import { type OrderDetails, OrderList } from '../app/state/order-list.ts';
import { type Instant, millisecondsOf } from '../domain/instant.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, type Output, whileChecked, withStore } from './shared/command-line.ts';
import { interruptible } from './shared/interrupt.ts';
import { requireNew, writeWhole } from './shared/new-file.ts';
import { formatOf, placeIn, readPlace } from './shared/options.ts';
import { print } from './shared/print.ts';
import { type Advance, withProgress } from './shared/progress.ts';
import { parseSpeed, type Speed, timeline } from './shared/replay-watch.ts';

const FORMATS = ['json', 'ndjson', 'csv'] as const;
type Format = (typeof FORMATS)[number];

interface ReplayOptions {
  readonly to?: Instant | Place;
  readonly out?: string;
  readonly format?: Format;
  readonly force: boolean;
  readonly watch?: boolean;
  readonly speed: Speed;
}

const DEFAULT_SPEED = '10/s';

const EXPLANATION = `
It reads the log from its first event on, and nothing else. With the format json it writes, to the
byte, what GET /v1/store/orders answered at that position, which the answer's ETag names.
With --watch it shows the events instead, one after the other. Ctrl-C stops it.`;

/** Defines `replay`: makes the list as of any position from the log alone. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  command
    .option('--to <moment>', 'a position, or a date-time (RFC 3339); else: now', readMoment)
    .option('--out <file>', 'where to; else: standard output')
    .addOption(
      new Option('--format <format>', 'if the file name does not show it').choices(FORMATS),
    )
    .option('--force', 'replace the file if it is there already', false)
    .addOption(
      new Option('--watch', 'play the events on the terminal').conflicts([
        'out',
        'format',
        'force',
      ]),
    )
    .addOption(
      new Option(
        '--speed <speed>',
        'events a second (100/s), or a multiple of the original speed (60x)',
      )
        .argParser(readSpeed)
        .default(readSpeed(DEFAULT_SPEED), DEFAULT_SPEED)
        .implies({ watch: true }),
    )
    .explain(EXPLANATION)
    .example('Write the list as of position 4711', 'replay --to 4711 --out orders.csv')
    .example('Play the events at ten times their speed', 'replay --watch --speed 10x')
    .action((options: ReplayOptions) =>
      options.watch ? watch(options, commandLine) : replay(options, commandLine),
    );
}

async function replay(
  { to, out, format, force }: ReplayOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  if (out !== undefined) requireNew(out, force);
  await interruptible((signal) =>
    withStore(commandLine, async (store) => {
      const begun = performance.now();
      const replayed = async () => {
        const moment = momentIn(store, to) ?? (await store.log.head());
        const list = await listAt(moment, store, stderr, signal);
        return { list, seconds: (performance.now() - begun) / 1_000 };
      };
      const { list, seconds } = await whileChecked(store, replayed, signal);
      const form = format ?? formatOf(out ?? '') ?? 'json';
      const text = listText(list, form);
      if (out === undefined) await print(text, stdout, signal);
      else await writeWhole(out, text, { force, signal });
      // The bytes of the answer have no line end; on a terminal, the summary begins a line all the same.
      const isShown = out === undefined && form === 'json' && stdout.isTTY === true;
      stderr.write(`${isShown ? '\n' : ''}${summary(store.id, list, seconds)}`);
    }),
  );
}

async function watch({ to: given, speed }: ReplayOptions, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  await interruptible((signal) =>
    withStore(commandLine, async (store) => {
      const { log } = store;
      await store.checked(signal);
      const to = momentIn(store, given);
      const head = await log.head();
      if (typeof to === 'number' && to > head) throw notYet(to, head);
      const played = { position: 0 };
      const isTerminal = stdout.isTTY === true;
      await print(timeline(log, to ?? head, speed, isTerminal, signal, played), stdout);
      stderr.write(`Played up to position ${played.position} of ${head}.\n`);
    }),
  );
}

/** The form in which a list is written: the text of an order, and the texts around them. */
interface Notation {
  readonly opening: string;
  readonly between: string;
  readonly closing: string;
  toText(order: OrderDetails): string;
}

const NOTATIONS: Readonly<Record<Format, Notation>> = {
  /** To the byte what version 1 answers. */
  json: { opening: '[', between: ',', closing: ']', toText: orderToJson },
  /** Orders as version 2 shows them. */
  ndjson: { opening: '', between: '', closing: '', toText: (order) => `${orderToJsonV2(order)}\n` },
  csv: { opening: CSV_HEADER, between: '', closing: '', toText: orderToCsv },
};

/** Yields the text of a whole list, a chunk at a time. */
function* listText(list: OrderList<unknown>, format: Format): Generator<string> {
  const { opening, between, closing, toText } = NOTATIONS[format];
  let before = opening;
  for (const slots of list.slotsBeyond(undefined, 'asc')) {
    yield before + Array.from(slots, (slot) => toText(list.details(slot))).join(between);
    before = between;
  }
  yield (list.size === 0 ? opening : '') + closing;
}

/** Folds the log's events up to a moment. */
async function listAt(
  to: Moment,
  { log, foldSource = foldSourceOf(log) }: CommandLineStore,
  stderr: Output,
  signal: AbortSignal,
): Promise<OrderList<null>> {
  const list = new OrderList(() => null);
  const [end, last] = typeof to === 'number' ? [to, Infinity] : [Infinity, millisecondsOf(to)];
  let isOver = end === 0;
  const take = (event: FoldInput) => {
    isOver = event.at > last;
    if (isOver) return false;
    list.foldInput(event);
    isOver = event.position === end;
    return !isOver;
  };
  const total = typeof to === 'number' ? to : await log.head();
  const replayed = async (advance: Advance) => {
    while (!isOver && (await foldSource.next(list.position, take)) > 0) {
      advance(list.position);
      // Signals and other work get a turn.
      await setImmediate();
      signal.throwIfAborted();
    }
  };
  await withProgress(stderr, 'Replaying', total, replayed, 'events');
  if (!isOver && positionAt(list, to) === undefined) throw notYet(to, list.position);
  return list;
}

function notYet(to: Moment, head: number): UserError {
  return new UserError(
    typeof to === 'number'
      ? `--to ${to} is beyond the log's end (${head}).`
      : `--to ${to} is in the future.`,
  );
}

function summary(logName: string, list: OrderList<unknown>, seconds: number): string {
  const { size, position, lastAt } = list;
  const speed = Math.round(position / Math.max(seconds, 0.001)).toLocaleString('en');
  return (
    `${size} orders as of position ${position}${lastAt === undefined ? '' : `, ${lastAt}`}: ` +
    `ETag "${logName}-${list.stateAt(position)}". Replayed at ${speed} events/s.\n`
  );
}

function readMoment(text: string): Instant | Place {
  const moment = parseMoment(text);
  if (typeof moment === 'number') return { position: moment };
  if (moment !== undefined) return moment;
  if (PLACE.test(text)) return readPlace(text);
  throw new InvalidArgumentError(
    'It must be a position such as 4711, or a date-time such as 2026-01-31T12:00:00Z.',
  );
}

/** Returns a moment of the log. Throws {@link UserError} for a position that was lost or given twice. */
function momentIn({ epochs }: CommandLineStore, to: Instant | Place | undefined) {
  return typeof to === 'object' ? placeIn(epochs, '--to', to) : to;
}

function readSpeed(text: string): Speed {
  const speed = parseSpeed(text);
  if (speed !== undefined) return speed;
  throw new InvalidArgumentError('It must be events a second such as 100/s, or times such as 60x.');
}
