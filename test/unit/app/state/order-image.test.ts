import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_POSITION } from '../../../../src/app/log/positions.ts';
import { ImpossibleEvent, type RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import { OrderImage } from '../../../../src/app/state/order-image.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { cancelled, LATER, NOON, placed, recorded, shipped } from '../../../support/events.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';

const MAX = 2n ** 63n - 1n;
const id = (orderId: bigint) => orderId as OrderId;

function imageOf(events: Iterable<RecordedEvent>): OrderImage {
  const image = new OrderImage();
  for (const event of events) image.fold(event);
  return image;
}

describe('the image of all orders', () => {
  it('is empty at first', () => {
    const image = new OrderImage();
    expect([image.position, image.size, image.highestId, image.lastAt]).toStrictEqual([
      0,
      0,
      0n,
      undefined,
    ]);
    expect(image.state(id(1n))).toStrictEqual({ status: 'none' });
    expect(image.version(id(1n))).toBe(0);
    expect(image.slotOf(id(1n))).toBe(-1);
  });

  it('agrees with a Map on every order, also after it was packed', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const image = imageOf(history);
        const orders = naiveOrders(history);
        for (const each of [image, new OrderImage(image.pack())]) {
          for (const { id, status, shipDate, cancelReason: reason, version } of orders) {
            const shown = reason === undefined ? { status } : { status, reason };
            const state = status === 'shipped' ? { status, shipDate } : shown;
            expect(each.state(id)).toStrictEqual(state);
            expect(each.version(id)).toBe(version);
            const own = history.filter(({ event }) => event.orderId === id);
            for (const recorded of own) {
              expect(each.positionOf(id, recorded.version)).toBe(recorded.position);
            }
            const shippedOn = status === 'shipped' ? shipDate : undefined;
            expect(each.shipDateAt(each.slotOf(id))).toBe(shippedOn);
          }
          expect(each.size).toBe(orders.length);
          expect(each.position).toBe(history.length);
          expect(each.lastAt).toBe(history.at(-1)?.metadata.at);
          const highest = orders.reduce((max, { id }) => (id > max ? id : max), 0n);
          expect(each.highestId).toBe(highest);
          for (const [type, count] of each.eventCounts()) {
            expect(count).toBe(history.filter(({ event }) => event.type === type).length);
          }
        }
      }),
    );
  });

  it.each([
    ['shipped again', [placed(1n), shipped(1n), shipped(1n)], 'OrderShipped', 'shipped'],
    [
      'cancelled after a shipment',
      [placed(1n), shipped(1n), cancelled(1n)],
      'OrderCancelled',
      'shipped',
    ],
    [
      'shipped after a cancellation',
      [placed(1n), cancelled(1n), shipped(1n)],
      'OrderShipped',
      'cancelled',
    ],
    ['cancelled again', [placed(1n), cancelled(1n), cancelled(1n)], 'OrderCancelled', 'cancelled'],
  ])(
    'refuses an event that no order can have, and stays as it was: %s',
    (_, events, type, status) => {
      const [first, second, third] = recorded(...events) as [
        RecordedEvent,
        RecordedEvent,
        RecordedEvent,
      ];
      const image = imageOf([first, second]);
      const before = image.pack();
      expect(() => image.fold(third)).toThrow(ImpossibleEvent);
      expect(() => image.fold(third)).toThrow(
        new RegExp(
          `^event at position 3 cannot have been recorded: ${type} of order 1, which is ${status}$`,
        ),
      );
      expect(image.pack()).toStrictEqual(before);
    },
  );

  it.each([2 ** 32, MAX_POSITION])('holds positions up to the last of them: %d', (position) => {
    const [placing, ending] = recorded(placed(1n), shipped(1n)) as [RecordedEvent, RecordedEvent];
    const almost = new OrderImage({ ...new OrderImage().pack(), position: position - 2 });
    almost.fold({ ...placing, position: position - 1 });
    almost.fold({ ...ending, position });
    expect(almost.positionOf(id(1n), 1)).toBe(position - 1);
    expect(almost.positionOf(id(1n), 2)).toBe(position);
  });

  it('refuses a position that its columns cannot hold', () => {
    const [event] = recorded(placed(1n)) as [RecordedEvent];
    const full = new OrderImage({ ...new OrderImage().pack(), position: MAX_POSITION });
    expect(() => full.fold({ ...event, position: MAX_POSITION + 1 })).toThrow(
      'beyond what an image holds',
    );
  });

  it('has the columns up to the size, by slot', () => {
    const image = imageOf(recorded(placed(9n, { shipDate: LATER }), placed(3n), shipped(3n, NOON)));
    const { statuses, shipDates, placedPositions, endPositions } = image.columns;
    const entries = [statuses, shipDates, placedPositions, endPositions].map((column) => {
      return [0, 1].map((slot) => column.get(slot));
    });
    expect(entries).toStrictEqual([
      [0, 1],
      [Number.NaN, Date.parse(NOON)],
      [1, 1],
      [Number.NaN, 3],
    ]);
    expect([image.versionAt(0), image.versionAt(1)]).toStrictEqual([1, 2]);
  });

  it.each([
    ['the last of all', [], MAX],
    ['still the last where others are taken', [1n, MAX - 1n], MAX],
    ['below those that are taken', [MAX, MAX - 1n, MAX - 3n], MAX - 2n],
  ])('has a highest free id: %s', (_, taken, free) => {
    const image = imageOf(recorded(...taken.map((each) => placed(each))));
    expect(image.highestFreeId()).toBe(free);
    expect(image.highestFreeId()).toBe(free);
  });

  it('finds the highest free id up to one that it is given', () => {
    const image = imageOf(recorded(placed(9n), placed(7n), placed(11n)));
    expect(image.highestFreeId(10n)).toBe(10n);
    expect(imageOf(recorded(placed(9n), placed(10n))).highestFreeId(10n)).toBe(8n);
  });
});
