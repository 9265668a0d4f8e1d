import { randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Option } from 'commander';
import { type BadLines, ImportCheck, type ReadLine } from '../app/import/import-check.ts';
import { ImportRun } from '../app/import/import-run.ts';
import { NamedOrders } from '../app/import/named-orders.ts';
import { UserError } from '../app/lifecycle/user-error.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import type { WorkingTable } from '../app/ports/working-table.ts';
import { Writer } from '../app/write/writer.ts';
import type { ExplainedCommand } from './shared/command.ts';
import {
  type CommandLine,
  type Output,
  type Terminal,
  withStoreOrNew,
} from './shared/command-line.ts';
import { FORMATS, type Format, type LineReader, readerFor } from './shared/import-formats.ts';
import { interruptible } from './shared/interrupt.ts';
import { readLines, withFile } from './shared/lines.ts';
import { formatOf } from './shared/options.ts';
import { withProgress } from './shared/progress.ts';
import { type JsonOption, printResult, withJson } from './shared/results.ts';

interface ImportOptions extends JsonOption {
  readonly format?: Format;
  readonly skipBad?: boolean;
}

/** The commands of a run that were accepted, and the lines that others have carried out. */
type Done = Pick<ImportRun, 'accepted' | 'present'>;

const NOTHING: Done = { accepted: { PlaceOrder: 0, ShipOrder: 0, CancelOrder: 0 }, present: 0 };

const REFUSED = 'Nothing was imported. Correct these lines, or leave them out with --skip-bad.';
const INTERRUPTED = 'Stopped before it was done.';
const STOPPED = 'What is counted above is recorded. Run the same command again to import the rest.';
const OVERTAKEN = 'These lines were not imported, all others were. Check them, and run it again.';

const EXPLANATION = `
Each line is an order: id, petId, quantity, and where known shipDate, complete, status (pending,
shipped or cancelled), and for a cancelled one cancelReason. Existing orders are advanced if the file is ahead of them, and
left alone otherwise: importing a file twice changes nothing.`;

/** Defines `import`: takes over orders from a file. */
export function define(command: ExplainedCommand, commandLine: CommandLine): void {
  withJson(command)
    .argument('<file>', 'JSON, one object a line (.ndjson, .jsonl), or CSV with a header (.csv)')
    .addOption(
      new Option('--format <format>', 'if the file name does not show it').choices(FORMATS),
    )
    .option('--skip-bad', 'import the good lines, whatever the others are')
    .explain(EXPLANATION)
    .example('Import orders, one a line', 'import orders.ndjson')
    .example('Import the good lines of a CSV file', 'import orders.csv --skip-bad')
    .action((file: string, options: ImportOptions) => importFile(file, options, commandLine));
}

async function importFile(
  file: string,
  options: ImportOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { composition, terminal } = commandLine;
  const format = options.format ?? formatOf(file);
  if (format === undefined) {
    throw new UserError(`Cannot infer the format from ${file}: use --format.`);
  }
  await withFile(file, (input) =>
    withStoreOrNew(commandLine, async ({ log }) => {
      const tables = [await composition.workingTable(), await composition.workingTable()] as const;
      try {
        await importLines(input, readerFor(format), log, tables, options, terminal);
      } finally {
        for (const table of tables) table.close();
      }
    }),
  );
}

/** @param tables Two empty ones: for the lines, and for the orders that they name. */
async function importLines(
  input: FileHandle,
  reader: LineReader,
  log: EventLog,
  [lines, found]: readonly [WorkingTable, WorkingTable],
  options: ImportOptions,
  { stdout, stderr }: Terminal,
): Promise<void> {
  const check = await checkLines(input, reader, lines, stderr);
  const orders = await withProgress(stderr, 'Reading the log', await log.head(), (advance) =>
    NamedOrders.read(log, lines, found, advance),
  );
  check.compareWith(orders);
  if (check.bad.count > 0 && !options.skipBad) {
    printResult(stdout, options, summary(check));
    throw new UserError(`${listed(check.bad)}\n${REFUSED}`);
  }
  const writer = new Writer(log, orders, orders);
  const run = new ImportRun(writer, randomBytes(6).toString('hex'), setTimeout, (id) => {
    return check.isPresent(id, orders);
  });
  let done = 0;
  const undecided = await interruptible((signal) =>
    withProgress(stderr, 'Importing', check.dueCount, (advance) =>
      run.run(untilAborted(check.due(orders), signal), (lines, batch) => {
        for (const { id } of batch) orders.forget(id);
        done = lines;
        advance(done);
      }),
    ),
  );
  printResult(stdout, options, summary(check, run));
  if (check.bad.count > 0) stderr.write(`${listed(check.bad)}\n`);
  const cause = undecided?.cause ?? (done < check.dueCount ? INTERRUPTED : undefined);
  if (cause !== undefined) throw new UserError(`${cause}\n${STOPPED}`);
  if (run.overtaken.count > 0) throw new UserError(`${listed(run.overtaken)}\n${OVERTAKEN}`);
}

/** Yields lines until the signal aborts: those that were yielded are carried out and counted. */
function* untilAborted<Line>(lines: Iterable<Line>, signal: AbortSignal): Iterable<Line> {
  for (const line of lines) {
    if (signal.aborted) return;
    yield line;
  }
}

/** The first pass: reads every line, and checks it against those before. */
async function checkLines(
  input: FileHandle,
  reader: LineReader,
  table: WorkingTable,
  stderr: Output,
): Promise<ImportCheck> {
  const check = new ImportCheck(table);
  const { size } = await input.stat();
  let line = 0;
  await withProgress(stderr, 'Checking', size, async (advance) => {
    for await (const { lines, bytes } of readLines(input)) {
      const read: ReadLine[] = [];
      for (const text of lines) {
        line += 1;
        const reading = text.trim() === '' ? undefined : reader(text);
        if (reading !== undefined) read.push({ line, reading });
      }
      check.add(read);
      advance(bytes);
    }
  });
  return check;
}

function summary(check: ImportCheck, { accepted, present: since }: Done = NOTHING) {
  const { read } = check;
  const present = check.present + since;
  const { PlaceOrder: placed, ShipOrder: shipped, CancelOrder: cancelled } = accepted;
  const value = { read, placed, shipped, cancelled, present, bad: check.bad.count };
  const text =
    `${read} orders read: ${placed} placed, ${shipped} shipped, ` +
    `${cancelled} cancelled, ${present} already there, ${value.bad} bad\n`;
  return { value, text };
}

function listed({ first, count }: BadLines): string {
  const lines = first.map(({ line, reason }) => `line ${line}: ${reason}`);
  if (count > first.length) lines.push(`and ${count - first.length} more lines`);
  return lines.join('\n');
}
