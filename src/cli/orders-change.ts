/** The subcommands of `orders` for one order each. */

import { Option } from 'commander';
import { now } from '../app/clock.ts';
import type { CancelReason, Order, StoreOrders } from '../client/client.ts';
import { CANCEL_REASONS, MAX_QUANTITY } from '../domain/order.ts';
import type { OrderId } from '../domain/order-id.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { readOrderId, readTime, wholeNumber } from './shared/options.ts';
import { say } from './shared/print.ts';
import { type JsonOption, jsonLine, printResult, withJson } from './shared/results.ts';
import {
  callService,
  SERVICE_NOTES,
  type ServiceOptions,
  sendCommand,
  withService,
} from './shared/service.ts';

type CommonOptions = ServiceOptions & JsonOption;

interface CommandOptions extends CommonOptions {
  readonly idempotencyKey?: string;
}

interface PlaceOptions extends CommandOptions {
  readonly petId: bigint;
  readonly quantity: number;
  readonly shipDate?: string;
}

interface ShipOptions extends CommandOptions {
  readonly shipDate?: string;
}

interface CancelOptions extends CommandOptions {
  readonly reason?: CancelReason;
}

/** Adds `get`, `place`, `ship` and `cancel`. */
export function addOrderCommands(orders: ExplainedCommand, commandLine: CommandLine): void {
  const { stdout, stderr } = commandLine.terminal;
  withJson(withService(orders.command('get')))
    .description('show an order')
    .argument('<order>', 'the id of the order', readOrderId)
    .explain(SERVICE_NOTES)
    .example('Show order 1', 'orders get 1')
    .action(async (id: OrderId, options: CommonOptions) => {
      const { etag: _, ...order } = await callService(options, commandLine, (service) =>
        service.get(id),
      );
      printResult(stdout, options, { value: order, text: wordsOf(order) });
    });
  withCommand(orders.command('place'))
    .description('place an order; its id is printed, alone on standard output')
    .requiredOption('--pet-id <id>', 'the id of the pet', readOrderId)
    .option('--quantity <count>', 'how many', wholeNumber(1, MAX_QUANTITY), 1)
    .option('--ship-date <time>', 'the expected ship date (RFC 3339)', readTime)
    .explain(SERVICE_NOTES)
    .example('Place an order, and keep its id', 'orders place --pet-id 7 --quantity 2 > order.id')
    .action(async (options: PlaceOptions) => {
      const { petId, quantity, shipDate, idempotencyKey } = options;
      const placed = { petId, quantity, shipDate };
      const { etag: _, ...order } = await sendCommand(options, commandLine, (service, signal) =>
        service.place(placed, { idempotencyKey, signal }),
      );
      printResult(stdout, options, { value: order, text: `${order.id}\n` });
      say(stderr, `Placed order ${order.id}: ${quantity} of pet ${petId}.\n`);
    });
  withCommand(orders.command('ship'))
    .description('record that an order has shipped')
    .argument('<order>', 'the id of the order', readOrderId)
    .option('--ship-date <time>', 'when it did (RFC 3339); default: now', readTime)
    .explain(SERVICE_NOTES)
    .example('Record that order 1 has shipped', 'orders ship 1 --ship-date 2026-01-31T12:00:00Z')
    .action((id: OrderId, options: ShipOptions) => ship(id, options, commandLine));
  withCommand(orders.command('cancel'))
    .description('cancel an order; to cancel it again changes nothing')
    .argument('<order>', 'the id of the order', readOrderId)
    .addOption(
      new Option('--reason <reason>', 'the reason, which is recorded').choices(CANCEL_REASONS),
    )
    .explain(SERVICE_NOTES)
    .example('Cancel order 1', 'orders cancel 1')
    .action(async (id: OrderId, options: CancelOptions) => {
      const { reason, idempotencyKey } = options;
      const { position } = await sendCommand(options, commandLine, (service, signal) =>
        service.cancel(id, { reason, idempotencyKey, signal }),
      );
      if (options.json) stdout.write(jsonLine({ orderId: id, position }));
      say(stderr, `Order ${id} is cancelled, at position ${position}.\n`);
    });
}

async function ship(id: OrderId, options: ShipOptions, commandLine: CommandLine): Promise<void> {
  const { stdout, stderr } = commandLine.terminal;
  const { shipDate = now(), idempotencyKey, json } = options;
  const chosen = options.shipDate === undefined ? [`--ship-date ${shipDate}`] : [];
  const send = (service: StoreOrders, signal: AbortSignal) =>
    service.ship(id, shipDate, { idempotencyKey, signal });
  const order = await sendCommand(options, commandLine, send, chosen);
  if (json) stdout.write(jsonLine(order));
  say(stderr, `Order ${id} has shipped on ${order.shipDate}.\n`);
}

function withCommand(command: ExplainedCommand): ExplainedCommand {
  return withJson(withService(command)).option(
    '--idempotency-key <key>',
    'repeat an earlier command under its key: it is carried out once',
  );
}

function wordsOf(order: Order): string {
  const lines = Object.entries(order).map(([name, value]) => `${name}: ${value}\n`);
  return lines.join('');
}
