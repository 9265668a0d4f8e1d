import { storedFieldsOf } from '../app/audit/cloud-event.ts';
import { History } from '../app/audit/history.ts';
import { CannotStart } from '../app/lifecycle/cannot-start.ts';
import type { EventLog } from '../app/ports/event-log.ts';
import type { OrderId } from '../domain/order-id.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, type Output, whileChecked, withStore } from './shared/command-line.ts';
import { readOrderId } from './shared/options.ts';
import { withProgress } from './shared/progress.ts';

interface ShowOptions {
  readonly json?: boolean;
}

/** Adds `audit show`: shows the history of one order. */
export function addAuditShow(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('show')
    .description('show the history of an order: what, when, who, and with which command')
    .argument('<order>', 'the id of the order', readOrderId)
    .option('--json', 'print the events as CloudEvents, one a line')
    .example('Show what happened to order 1', 'audit show 1')
    .action((orderId: OrderId, options: ShowOptions) => show(orderId, options, commandLine));
}

async function show(
  orderId: OrderId,
  { json }: ShowOptions,
  commandLine: CommandLine,
): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  await withStore(commandLine, async (store) => {
    const events = await whileChecked(store, async () => {
      const positions = await positionsOf(orderId, store.log, stderr);
      if (positions.length === 0) throw new CannotStart(`There is no order ${orderId}.`);
      return new History(store.epochs, store.trail, store.keys).at(positions);
    });
    for (const event of events) stdout.write(json ? `${event}\n` : textOf(event));
  });
}

/** Returns the positions of an order's events. There is no index of them: the whole log is read. */
async function positionsOf(
  orderId: OrderId,
  log: EventLog,
  stderr: Output,
): Promise<readonly number[]> {
  const positions: number[] = [];
  let read = 0;
  await withProgress(stderr, 'Reading', await log.head(), async (advance) => {
    for await (const chunk of log.read(0)) {
      const its = chunk.filter(({ event }) => event.orderId === orderId);
      positions.push(...its.map(({ position }) => position));
      read += chunk.length;
      advance(read);
    }
  });
  return positions;
}

/** Returns the text of one event, with the data as it is stored. */
function textOf(cloudEvent: string): string {
  const { time, type, position, version, by, keyname, commandid, traceparent } =
    JSON.parse(cloudEvent);
  const { data } = storedFieldsOf(cloudEvent);
  const who = keyname === undefined ? by : `${keyname} (${by})`;
  return (
    `${time}  ${type}\n` +
    `  position ${position}, version ${version}\n` +
    `  by ${who}\n` +
    `  command ${commandid}\n` +
    (traceparent === undefined ? '' : `  traceparent ${traceparent}, which nothing proves\n`) +
    `  ${data}\n`
  );
}
