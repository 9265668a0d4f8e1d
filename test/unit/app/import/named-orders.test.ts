import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { NamedOrders } from '../../../../src/app/import/named-orders.ts';
import { ImpossibleEvent, type RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import type { EventLogReader } from '../../../../src/app/ports/event-log.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { openWorkingTable } from '../../../../src/infra/sqlite/working-table.ts';
import { cancelled, NOON, placed, recorded, shipped } from '../../../support/events.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';

/** The events, in chunks of two. */
function logOf(events: readonly RecordedEvent[]): Pick<EventLogReader, 'read'> {
  return {
    async *read(after) {
      for (let at = after; at < events.length; at += 2) yield events.slice(at, at + 2);
    },
  };
}

/** Reads events for a file that names the ids. */
async function read(
  events: readonly RecordedEvent[],
  ids: Iterable<bigint>,
  advance: (position: number) => void = () => {},
): Promise<NamedOrders> {
  const [lines, found] = [openWorkingTable(), openWorkingTable()];
  onTestFinished(() => {
    lines.close();
    found.close();
  });
  lines.add(Array.from(ids, (id) => [id, 'a line']));
  return NamedOrders.read(logOf(events), lines, found, advance);
}

test('of an empty log, no order is known', async () => {
  const orders = await read([], [1n]);
  expect([orders.position, orders.lastAt, orders.highestId]).toEqual([0, undefined, 0n]);
  expect(orders.state(1n as OrderId)).toEqual({ status: 'none' });
  expect(orders.version(1n as OrderId)).toBe(0);
  expect(orders.atReading([1n])).toEqual(new Map());
  expect([...orders.allAtReading()]).toEqual([]);
});

test('named orders are as in the image of all, at the reading and after each later event', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(), fc.func(fc.boolean()), async (history, cut, isNamed) => {
      const before = history.slice(0, cut % (history.length + 1));
      const all = new Set(history.map(({ event }) => event.orderId));
      const named = new Set([...all].filter((id) => isNamed(id)));
      const orders = await read(before, named);
      const image = new OrderImage();
      const agree = () => {
        expect(orders.position).toBe(image.position);
        expect(orders.lastAt).toBe(image.lastAt);
        expect(orders.highestId).toBe(image.highestId);
        for (const id of named) {
          expect(orders.state(id)).toStrictEqual(image.state(id));
          expect(orders.version(id)).toBe(image.version(id));
          if (image.version(id) === 0) continue;
          expect(orders.positionOf(id)).toBe(image.positionOf(id, image.version(id)));
        }
      };
      for (const event of before) image.fold(event);
      agree();
      for (const event of history.slice(before.length)) {
        orders.fold(event);
        image.fold(event);
        agree();
      }
      const expected = naiveOrders(before).filter(({ id }) => named.has(id));
      expect(
        [...orders.allAtReading()].flat().sort((a, b) => (a.id < b.id ? -1 : 1)),
      ).toMatchObject(
        expected.map(({ id, petId, quantity, shipDate, status, cancelReason }) => ({
          ...{ id, petId, quantity, shipDate, status },
          ...(cancelReason !== undefined && { cancelReason }),
        })),
      );
    }),
  );
});

test('the reading tells how far it is', async () => {
  const positions: number[] = [];
  await read(recorded(placed(1n), placed(2n), placed(3n)), [], (at) => positions.push(at));
  expect(positions).toEqual([2, 3]);
});

test('what others do to an order that comes later is known then; it is forgotten once it was written', async () => {
  const history = recorded(placed(1n), placed(2n), cancelled(1n), cancelled(2n));
  const orders = await read(history.slice(0, 2), [1n, 2n]);
  for (const event of history.slice(2)) orders.fold(event);
  orders.forget(1n as OrderId);
  expect(orders.state(1n as OrderId)).toEqual({ status: 'pending' });
  expect(orders.state(2n as OrderId)).toEqual({ status: 'cancelled' });
  expect(orders.atReading([2n]).get(2n)).toMatchObject({ status: 'pending' });
});

test('an import assigns no ids', async () => {
  const orders = await read([], []);
  expect(() => orders.highestFreeId()).toThrow('an import gives every order its id');
});

test.each([
  [[placed(1n), placed(1n)], 'order 1 was placed twice'],
  [[shipped(1n, NOON)], 'OrderShipped of order 1, which was never placed'],
  [[placed(1n), cancelled(1n), shipped(1n, NOON)], 'OrderShipped of order 1, which is cancelled'],
])('an event that is impossible is noticed, read or folded: %#', async (events, message) => {
  const history = recorded(...events);
  await expect(read(history, [1n])).rejects.toThrow(message);
  const last = history.at(-1) as RecordedEvent;
  const orders = await read(history.slice(0, -1), [1n]);
  expect(() => orders.fold(last)).toThrow(ImpossibleEvent);
});

test('a gap in the log is noticed', async () => {
  const [, second] = recorded(placed(1n), placed(2n));
  await expect(read([second as RecordedEvent], [])).rejects.toThrow(
    'position 2 does not follow position 0',
  );
});
