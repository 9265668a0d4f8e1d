import type { NewEvent, RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { OrderShipped } from '../../src/domain/order.ts';
import type { PetId } from '../../src/domain/order-id.ts';
import { MemoryEventLog } from '../../src/infra/memory/event-log.ts';
import { changingAppends, changingReads, NOTHING_KEPT, over, rounded } from './faults.ts';
import type { Mutant } from './mutated.ts';

/** A log that is not to be trusted, and readers of it that are not. */
export const BAD_LOGS: readonly Mutant[] = [
  {
    name: 'an event is acknowledged before it is stored',
    log(disk) {
      // The newest append waits in memory until the next one.
      let waiting: readonly NewEvent[] = [];
      return over<EventLog>(disk, {
        async append(_seen, decide) {
          await disk.append(await disk.head(), () => waiting);
          const head = await disk.head();
          waiting = decide([], NOTHING_KEPT);
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
    name: 'the list is one event behind',
    reader(log) {
      const behind = async () => Math.max(0, (await log.head()) - 1);
      return over(log, {
        head: behind,
        async *read(after) {
          const last = await behind();
          for await (const events of log.read(after)) {
            yield events.filter(({ position }) => position <= last);
          }
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
];

/** The last event before a restart, which the first one after it will replace. */
const STILL_THERE = new WeakMap<MemoryEventLog, RecordedEvent>();

function overwriting(disk: MemoryEventLog): EventLog {
  const last = STILL_THERE.get(disk);
  if (last === undefined) return disk;
  let isThere = true;
  return over<EventLog>(disk, {
    async append(seen, decide) {
      const result = await disk.append(seen - 1, () => decide([], NOTHING_KEPT));
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
