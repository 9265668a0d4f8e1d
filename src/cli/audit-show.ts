import { type Command, InvalidArgumentError } from 'commander';
import { CannotStart } from '../app/cannot-start.ts';
import type { RecordedEvent } from '../app/recorded-event.ts';
import { type OrderId, parseOrderId } from '../domain/order-id.ts';
import { type CommandLine, withStore } from './command-line.ts';

export function addAuditShow(audit: Command, commandLine: CommandLine): void {
  audit
    .command('show')
    .description('show what happened to an order: what, when, who, and with which command')
    .argument('<order>', 'the id of the order', readId)
    .action((orderId: OrderId) => show(orderId, commandLine));
}

async function show(orderId: OrderId, commandLine: CommandLine): Promise<void> {
  await withStore(commandLine, async ({ log, keys }) => {
    const events: RecordedEvent[] = [];
    for await (const chunk of log.read(0)) {
      events.push(...chunk.filter(({ event }) => event.orderId === orderId));
    }
    if (events.length === 0) throw new CannotStart(`There is no order ${orderId}.`);
    for (const { position, version, event, metadata } of events) {
      const { at, by, commandId } = metadata;
      const name = (await keys.find(by))?.name;
      const who = name === undefined ? by : `${name} (${by})`;
      commandLine.terminal.stdout.write(
        `${at}  ${event.type}, version ${version}, position ${position}\n` +
          `  by ${who}, command ${commandId}\n`,
      );
    }
  });
}

function readId(text: string): OrderId {
  const id = parseOrderId(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number of 64 bits.');
  return id;
}
