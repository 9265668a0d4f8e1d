import { storedFieldsOf } from '../app/audit/proofs/cloud-event.ts';
import { History } from '../app/audit/trail/history.ts';
import type { OrderId } from '../domain/order-id.ts';
import type { ExplainedCommand } from './shared/command.ts';
import { type CommandLine, withStore } from './shared/command-line.ts';
import { readOrderId } from './shared/options.ts';
import { eventsOf } from './shared/order-events.ts';
import { linesOf } from './shared/print.ts';
import type { JsonOption } from './shared/results.ts';

/** Adds `audit show`: shows the history of one order. */
export function addAuditShow(audit: ExplainedCommand, commandLine: CommandLine): void {
  audit
    .command('show')
    .description('show the history of an order: what, when, who, and with which command')
    .argument('<order>', 'the id of the order', readOrderId)
    .option('--json', 'print the events as CloudEvents, one a line')
    .example('Show what happened to order 1', 'audit show 1')
    .action((orderId: OrderId, options: JsonOption) => show(orderId, options, commandLine));
}

async function show(
  orderId: OrderId,
  { json }: JsonOption,
  commandLine: CommandLine,
): Promise<void> {
  const { stdout } = commandLine.terminal;
  await withStore(commandLine, async (store) => {
    const { positions } = await eventsOf(orderId, store, commandLine);
    const events = await new History(store.epochs, store.trail, store.keys).at(positions);
    for (const event of events) stdout.write(json ? `${event}\n` : eventText(event));
  });
}

/** Returns the text of one event, with the data as it is stored. */
function eventText(cloudEvent: string): string {
  const { time, type, position, version, by, keyname, commandid, traceparent } =
    JSON.parse(cloudEvent);
  const { data } = storedFieldsOf(cloudEvent);
  const who = keyname === undefined ? by : `${keyname} (${by})`;
  return linesOf([
    `${time}  ${type}`,
    `  position ${position}, version ${version}`,
    `  by ${who}`,
    `  command ${commandid}`,
    ...(traceparent === undefined ? [] : [`  traceparent ${traceparent}, which nothing proves`]),
    `  ${data}`,
  ]);
}
