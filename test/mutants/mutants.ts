import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { NewEvent, RecordedEvent } from '../../src/app/recorded-event.ts';
import type { OrderCancelled, OrderShipped } from '../../src/domain/order.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../src/infra/memory/memory-event-log.ts';
import {
  changingAnswers,
  changingAppends,
  changingCommands,
  changingLists,
  changingOutcomes,
  changingReads,
  changingRequests,
  over,
  recordAnyway,
} from './faults.ts';
import type { Mutant } from './mutated.ts';

/** Services that are broken on purpose. The kit has to find out every one of them. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a shipped order can be cancelled',
    writer: (writer, log) =>
      changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'rejected') return outcome;
        if (outcome.reason !== 'order_already_shipped') return outcome;
        const { orderId } = command;
        const event: OrderCancelled = { type: 'OrderCancelled', orderId };
        return { kind: 'accepted', orderId, version: await recordAnyway(log, event) };
      }),
  },
  {
    name: 'a cancelled order can be shipped',
    writer: (writer, log) =>
      changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'ShipOrder' || outcome.kind !== 'rejected') return outcome;
        if (outcome.reason !== 'order_cancelled') return outcome;
        const event: OrderShipped = { ...command, type: 'OrderShipped' };
        const version = await recordAnyway(log, event);
        return { kind: 'accepted', orderId: command.orderId, version };
      }),
  },
  {
    name: 'a second cancellation is recorded again',
    writer(writer, log) {
      const cancelled = new Set<bigint>();
      return changingOutcomes(writer, async (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'accepted') return outcome;
        const { orderId } = command;
        if (!cancelled.has(orderId)) {
          cancelled.add(orderId);
          return outcome;
        }
        await recordAnyway(log, { type: 'OrderCancelled', orderId });
        return outcome;
      });
    },
  },
  {
    name: 'a second cancellation is a 404',
    writer(writer) {
      const cancelled = new Set<bigint>();
      return changingOutcomes(writer, (command, outcome) => {
        if (command.type !== 'CancelOrder' || outcome.kind !== 'accepted') return outcome;
        if (cancelled.has(command.orderId)) return { kind: 'rejected', reason: 'order_not_found' };
        cancelled.add(command.orderId);
        return outcome;
      });
    },
  },
  {
    name: 'a second shipment on another date is accepted',
    writer: (writer) =>
      changingOutcomes(writer, (command, outcome) => {
        const isRefused = outcome.kind === 'rejected' && outcome.reason === 'order_already_shipped';
        if (command.type !== 'ShipOrder' || !isRefused) return outcome;
        return { kind: 'accepted', orderId: command.orderId, version: 2 };
      }),
  },
  {
    name: 'what is not there can be cancelled',
    writer: (writer) =>
      changingOutcomes(writer, (command, outcome) => {
        const isMissing = outcome.kind === 'rejected' && outcome.reason === 'order_not_found';
        if (command.type !== 'CancelOrder' || !isMissing) return outcome;
        return { kind: 'accepted', orderId: command.orderId, version: 0 };
      }),
  },
  {
    name: 'an event is acknowledged before it is stored',
    log(disk) {
      // The newest append waits in memory until the next one.
      let waiting: readonly NewEvent[] = [];
      return over<EventLog>(disk, {
        async append(_seen, decide) {
          await disk.append(await disk.head(), () => waiting);
          const head = await disk.head();
          waiting = decide([]);
          const events = waiting.map((event, index) => ({ position: head + index + 1, ...event }));
          return { kind: 'appended', events };
        },
        head: async () => (await disk.head()) + waiting.length,
        async *read(after) {
          yield* disk.read(after);
          const head = await disk.head();
          const held = waiting.map((event, index) => ({ position: head + index + 1, ...event }));
          const unseen = held.filter(({ position }) => position > after);
          if (unseen.length > 0) yield unseen;
        },
      });
    },
  },
  {
    name: 'a shipment is acknowledged and lost',
    log: (disk) =>
      changingAppends(disk, (events) =>
        events.filter(({ event }) => event.type !== 'OrderShipped'),
      ),
  },
  {
    name: 'a cancellation is acknowledged and lost',
    log: (disk) =>
      changingAppends(disk, (events) =>
        events.filter(({ event }) => event.type !== 'OrderCancelled'),
      ),
  },
  {
    name: 'the tail of the log is cut off at a restart',
    restarted: async (disk) => withoutTheLast(disk),
  },
  {
    name: 'a position is used again after a restart',
    async restarted(disk) {
      const [last] = (await Array.fromAsync(disk.read(0))).flat().slice(-1);
      const cut = await withoutTheLast(disk);
      if (last !== undefined) STILL_THERE.set(cut, last);
      return cut;
    },
    log: (disk) => overwriting(disk),
  },
  {
    name: 'versions do not count',
    log: (disk) =>
      changingAppends(disk, (events) => events.map((each) => ({ ...each, version: 1 }))),
  },
  {
    name: 'answers come back in another order',
    writer: (writer) => ({ execute: async (batch) => (await writer.execute(batch)).toReversed() }),
  },
  {
    name: 'the list is one event behind',
    reader(log) {
      let last = 0;
      return over(log, {
        async head() {
          const shown = last;
          last = await log.head();
          return shown;
        },
        async *read(after) {
          for await (const events of log.read(after))
            yield events.filter((each) => each.position <= last);
        },
      });
    },
  },
  {
    name: 'ids of pets are rounded through Number',
    log: (disk) =>
      changingAppends(disk, (events) =>
        events.map((each) => {
          if (each.event.type !== 'OrderPlaced') return each;
          const petId = rounded(each.event.petId) as PetId;
          return { ...each, event: { ...each.event, petId } };
        }),
      ),
  },
  {
    name: 'ids of orders are rounded through Number',
    writer: (writer) =>
      changingCommands(writer, (command) => {
        if (command.type === 'PlaceNewOrder' || command.type === 'PlaceOrder') return command;
        return { ...command, orderId: rounded(command.orderId) as OrderId };
      }),
  },
  {
    name: 'the ship date stays the expected one',
    reader(log) {
      const expected = new Map<bigint, OrderShipped['shipDate']>();
      return changingReads(log, (each) => {
        const { event } = each;
        if (event.type === 'OrderPlaced' && event.shipDate !== undefined) {
          expected.set(event.orderId, event.shipDate);
        }
        if (event.type !== 'OrderShipped') return each;
        const shipDate = expected.get(event.orderId) ?? event.shipDate;
        return { ...each, event: { ...event, shipDate } };
      });
    },
  },
  {
    name: 'a revoked key still works',
    keys: (keys) =>
      over(keys, {
        async find(id) {
          const { revokedAt: _, ...key } = (await keys.find(id)) ?? { revokedAt: undefined };
          return 'id' in key ? key : undefined;
        },
      }),
  },
  {
    name: 'any key with a known id is let in',
    http: (app, key) =>
      changingRequests(app, ({ headers }) => {
        const isSimilar = headers.authorization?.startsWith(`Bearer ${key.slice(0, 14)}`);
        if (isSimilar) headers.authorization = `Bearer ${key}`;
      }),
  },
  {
    name: 'cancelling needs no key',
    http: (app, key) =>
      changingRequests(app, ({ method, headers }) => {
        if (method === 'DELETE') headers.authorization ??= `Bearer ${key}`;
      }),
  },
  {
    name: 'listing needs no key',
    http: (app, key) =>
      changingRequests(app, ({ method, headers }) => {
        if (method === 'GET') headers.authorization ??= `Bearer ${key}`;
      }),
  },
  {
    name: 'without a key, a 404 comes before the 401',
    http(app) {
      // Nobody has the id that is asked for here: all orders have positive ones.
      const isUnknown = /\/store\/orders\/(?:-\d+|0|\d{10,})$/;
      return changingAnswers(app, (exchange) => {
        if (exchange.status !== 401 || !isUnknown.test(exchange.path)) return;
        exchange.status = 404;
        exchange.body = '{"code":"order_not_found","message":"There is none.","status":404}';
      });
    },
  },
  {
    name: 'a shipped order is a 400 instead of a 409',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status !== 409 || !exchange.body.includes('order_already_shipped')) return;
        exchange.status = 400;
        exchange.body = exchange.body.replace('409', '400');
      }),
  },
  {
    name: 'errors have no status',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status >= 400) exchange.body = exchange.body.replace(/,"status":\d+/, '');
      }),
  },
  {
    name: 'errors are plain text',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.status >= 400) exchange.body = 'No.';
      }),
  },
  {
    name: 'a cancellation is a 200 with a body',
    http: (app) =>
      changingAnswers(app, (exchange) => {
        if (exchange.method !== 'DELETE' || exchange.status !== 204) return;
        exchange.status = 200;
        exchange.body = '{"cancelled":true}';
      }),
  },
  {
    name: 'the list forgets cancelled orders',
    http(app) {
      const cancelled = new Set<string>();
      const listing = changingLists(app, (orders) => {
        return orders.filter((order) => !cancelled.has(/"id":(-?\d+)/.exec(order)?.[1] as string));
      });
      return changingAnswers(listing, ({ method, path, status }) => {
        if (method === 'DELETE' && status === 204) cancelled.add(path.split('/').at(-1) as string);
      });
    },
  },
  {
    name: 'a pending order is complete',
    http: (app) =>
      changingLists(app, (orders) => orders.map((order) => order.replace(':false}', ':true}'))),
  },
  {
    name: 'the list is not sorted',
    http: (app) => changingLists(app, (orders) => orders.toReversed()),
  },
  {
    name: 'an order is in the list twice',
    http: (app) => changingLists(app, (orders) => [...orders, ...orders.slice(-1)]),
  },
  {
    name: 'the list ends after ten orders',
    http: (app) => changingLists(app, (orders) => orders.slice(0, 10)),
  },
  {
    name: 'the list has ids as texts',
    http: (app) =>
      changingLists(app, (orders) =>
        orders.map((order) => order.replace(/"id":(\d+)/, '"id":"$1"')),
      ),
  },
];

function rounded(id: bigint): bigint {
  return BigInt.asIntN(64, BigInt(Number(id)));
}

/** The last event before a restart, which the first one after it will replace. */
const STILL_THERE = new WeakMap<MemoryEventLog, RecordedEvent>();

function overwriting(disk: MemoryEventLog): EventLog {
  const last = STILL_THERE.get(disk);
  if (last === undefined) return disk;
  let isThere = true;
  return over<EventLog>(disk, {
    async append(seen, decide) {
      const result = await disk.append(seen - 1, () => decide([]));
      if (result.kind !== 'appended') return result;
      if (result.events.length > 0) isThere = false;
      const events = result.events.map((each) => ({ ...each, position: each.position + 1 }));
      return { ...result, events };
    },
    head: async () => (await disk.head()) + (isThere ? 1 : 0),
    async *read(after) {
      yield* disk.read(after);
      if (isThere && after < last.position) yield [last];
    },
  });
}

async function withoutTheLast(disk: MemoryEventLog): Promise<MemoryEventLog> {
  const events = (await Array.fromAsync(disk.read(0))).flat();
  const cut = new MemoryEventLog();
  await cut.append(0, () => events.slice(0, -1).map(({ position: _, ...event }) => event));
  return cut;
}
