import { InvalidArgumentError, Option } from 'commander';
import type { ListQuery, Order, OrderPage } from '../client/client.ts';
import { MAX_PAGE_ITEMS } from '../client/paged.ts';
import { STATUSES } from '../domain/order-lives.ts';
import type { ExplainedCommand } from './shared/command.ts';
import type { CommandLine } from './shared/command-line.ts';
import { readMoment, readOrderId, wholeNumber } from './shared/options.ts';
import { print } from './shared/print.ts';
import { type JsonOption, jsonLine, withJson } from './shared/results.ts';
import { callService, SERVICE_NOTES, type ServiceOptions, withService } from './shared/service.ts';
import { printTable } from './shared/table.ts';

const COLUMNS = ['id', 'pet', 'quantity', 'status', 'reason', 'ship date', 'placed'] as const;
const MAX_LIMIT = 999_999_999;

interface ListOptions extends ServiceOptions, JsonOption {
  readonly id?: readonly bigint[];
  readonly status?: (typeof STATUSES)[number];
  readonly petId?: bigint;
  readonly fromId?: bigint;
  readonly toId?: bigint;
  readonly placedFrom?: string;
  readonly placedTo?: string;
  readonly asOf?: string;
  readonly order?: 'asc' | 'desc';
  readonly limit?: number;
}

/** Adds `orders list`. */
export function addOrdersList(orders: ExplainedCommand, commandLine: CommandLine): void {
  const list = withJson(withService(orders.command('list')), 'one a line')
    .description('list orders by id')
    .option('--id <id>', 'the order with this id; repeatable, up to 100', addId)
    .option('--from-id <id>', 'orders with this id or a higher one', readOrderId)
    .option('--to-id <id>', 'orders with a lower id', readOrderId)
    .option('--pet-id <id>', 'orders of this pet', readOrderId)
    .addOption(new Option('--status <status>', 'orders in this state').choices(STATUSES))
    .option('--placed-from <time>', 'orders placed at this time (RFC 3339) or later')
    .option('--placed-to <time>', 'orders placed before this time')
    .option(
      '--as-of <moment>',
      'the list as it was at a position of the log, or at a time',
      readMoment,
    )
    .addOption(new Option('--order <order>', 'the order of the ids').choices(['asc', 'desc']))
    .option('--limit <count>', 'at most this many', wholeNumber(1, MAX_LIMIT));
  list
    .explain(SERVICE_NOTES)
    .example('List the newest ten', 'orders list --order desc --limit 10')
    .example(
      'Count the pending orders of pet 7',
      'orders list --pet-id 7 --status pending --json | wc -l',
    )
    .action((options: ListOptions) => listOrders(options, commandLine));
}

async function listOrders(options: ListOptions, commandLine: CommandLine): Promise<void> {
  const { url: _u, key: _k, profile: _p, json, limit = Infinity, ...filters } = options;
  const { stdout } = commandLine.terminal;
  await callService(options, commandLine, async (service) => {
    const query: ListQuery = { ...filters, limit: Math.min(limit, MAX_PAGE_ITEMS) };
    const pages = atMost(limit, service.list(query).pages());
    if (json) return print(linesOf(pages), stdout);
    return printTable(stdout, COLUMNS, rowsOf(pages), ['reason', 'ship date', 'placed']);
  });
}

/** Yields the orders of pages, up to a number of them. */
async function* atMost(limit: number, pages: AsyncIterable<OrderPage>) {
  let left = limit;
  for await (const { data } of pages) {
    yield data.slice(0, left);
    left -= data.length;
    if (left <= 0) return;
  }
}

async function* linesOf(pages: AsyncIterable<readonly Order[]>) {
  for await (const orders of pages) yield orders.map(jsonLine).join('');
}

async function* rowsOf(pages: AsyncIterable<readonly Order[]>) {
  for await (const orders of pages) yield orders.map(rowOf);
}

function rowOf(order: Order): string[] {
  const { id, petId, quantity, status, cancelReason = '', shipDate = '', placedAt } = order;
  return [id, petId, String(quantity), status, cancelReason, shipDate, placedAt];
}

function addId(text: string, ids: readonly bigint[] = []): readonly bigint[] {
  if (ids.length < 100) return [...ids, readOrderId(text)];
  throw new InvalidArgumentError('There may be 100 of them.');
}
