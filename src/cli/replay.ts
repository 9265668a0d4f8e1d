import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CannotStart } from '../app/cannot-start.ts';
import { type Moment, parseMoment, positionOf } from '../app/moment.ts';
import { OrderList } from '../app/order-list.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import { type CommandLine, type Output, withStore } from './command-line.ts';
import { interruptible } from './interrupt.ts';
import { requireNew, writeWhole } from './new-file.ts';
import { withProgress } from './progress.ts';
import { FORMATS, type Format, textOf } from './replay-formats.ts';

const EXTENSIONS: Readonly<Record<string, Format>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

interface ReplayOptions {
  readonly to?: Moment;
  readonly out?: string;
  readonly format?: Format;
  readonly force?: boolean;
}

const EXPLANATION = `
It reads the log from its first event on, and nothing else. With the format json it writes, to the
byte, what GET /v1/store/orders answered at that position, which the answer's ETag names.`;

export function addReplay(program: Command, commandLine: CommandLine): void {
  program
    .command('replay')
    .description('make the list as it was from the log alone, while the service may run')
    .option('--to <moment>', 'a position, or a date-time (RFC 3339); else: now', readMoment)
    .option('--out <file>', 'where to; else: standard output')
    .addOption(
      new Option('--format <format>', 'if the name of the file does not tell').choices(FORMATS),
    )
    .option('--force', 'replace the file if it is there already')
    .addHelpText('after', EXPLANATION)
    .action((options: ReplayOptions) => replay(options, commandLine));
}

async function replay(
  { to, out, format, force }: ReplayOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  if (out !== undefined && !force) requireNew(out);
  await interruptible((signal) =>
    withStore(commandLine, async ({ id, log }) => {
      const begun = performance.now();
      const list = await listAt(to ?? (await log.head()), log, stderr, signal);
      const seconds = (performance.now() - begun) / 1_000;
      const text = textOf(list, format ?? formatOf(out));
      if (out === undefined) await pipeline(Readable.from(text), stdout, { end: false, signal });
      else await writeWhole(out, text, signal);
      stderr.write(summary(id, list, seconds));
    }),
  );
}

/** The list as the log's events up to a moment make it. */
async function listAt(
  to: Moment,
  log: EventLog,
  stderr: Output,
  signal: AbortSignal,
): Promise<OrderList<null>> {
  const list = new OrderList(() => null);
  const total = typeof to === 'number' ? to : await log.head();
  const isOver = await withProgress(
    stderr,
    'Replaying',
    total,
    async (advance) => {
      if (to === 0) return true;
      for await (const events of log.read(0)) {
        for (const event of events) {
          const isLater = typeof to === 'string' && event.metadata.at > to;
          if (isLater || event.position === to) {
            if (!isLater) list.fold(event);
            return true;
          }
          list.fold(event);
        }
        advance(list.position);
        // Signals, and whoever else has something to do, get their turn.
        await setImmediate();
        signal.throwIfAborted();
      }
      return false;
    },
    'events',
  );
  if (!isOver && positionOf(list, to) === undefined) throw notYet(to, list.position);
  return list;
}

function notYet(to: Moment, head: number): CannotStart {
  return new CannotStart(
    typeof to === 'number' ? `The log ends at position ${head}.` : `${to} is in the future.`,
  );
}

function summary(storeId: string, list: OrderList<unknown>, seconds: number): string {
  const { size, position, lastAt } = list;
  const speed = Math.round(position / Math.max(seconds, 0.001)).toLocaleString('en');
  return (
    `${size} orders as of position ${position}${lastAt === undefined ? '' : `, ${lastAt}`}: ` +
    `ETag "${storeId}-${position}". Replayed at ${speed} events/s.\n`
  );
}

function readMoment(text: string): Moment {
  const moment = parseMoment(text);
  if (moment !== undefined) return moment;
  throw new InvalidArgumentError(
    'It must be a position such as 4711, or a date-time such as 2026-01-31T12:00:00Z.',
  );
}

function formatOf(file = ''): Format {
  return EXTENSIONS[extname(file).toLowerCase()] ?? 'json';
}
