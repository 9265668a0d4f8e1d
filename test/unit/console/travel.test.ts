import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/app/log/recorded-event.ts';
import type { Activity, Order, OrderEvent, Summary } from '../../../src/client/client.ts';
import { stepsOf, stepsUpTo } from '../../../src/console/state/history.ts';
import { placeIn, positionIn } from '../../../src/console/state/places.ts';
import { instantIn } from '../../../src/console/state/times.ts';
import {
  barsOf,
  bucketsSince,
  daysFrom,
  endOf,
  eventsBetween,
} from '../../../src/console/state/travel.ts';

/** Histories of some orders in one log: each is placed, and may be shipped or cancelled later. */
const logs = fc
  .array(
    fc.record({
      id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
      end: fc.constantFrom(undefined, ...EVENT_TYPES.slice(1)),
      placedAt: fc.nat(1_000_000),
      gap: fc.nat(1_000_000),
      quantity: fc.integer({ min: 1, max: 9 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((orders) => {
    const byId = new Map(orders.map((order) => [order.id, order]));
    const events = [...byId.values()].flatMap(({ id, end, placedAt, gap, quantity }) => {
      const placed = {
        at: placedAt,
        type: 'OrderPlaced',
        data: { orderId: id, petId: '7', quantity },
      };
      if (end === undefined) return [placed];
      const more =
        end === 'OrderShipped' ? { shipDate: '2026-02-03T04:05:06Z' } : { reason: 'other' };
      return [placed, { at: placedAt + gap + 1, type: end, data: { orderId: id, ...more } }];
    });
    return events
      .sort((one, other) => one.at - other.at)
      .map(({ at, type, data }, index) => {
        const time = new Date(at * 1_000).toISOString();
        return { position: index + 1, time, type, data } as unknown as OrderEvent;
      });
  });

/** Folds events one by one, in another way than the console: by the words of the contract. */
function foldOf(events: readonly OrderEvent[]): Partial<Order> | undefined {
  let order: Record<string, unknown> | undefined;
  for (const { type, data, time } of events as readonly OrderEvent[]) {
    const { orderId, reason, ...rest } = data as Record<string, unknown>;
    if (type === 'OrderPlaced') {
      order = { id: orderId, ...rest, status: 'pending', complete: false, placedAt: time };
    } else if (type === 'OrderShipped') {
      order = { ...order, ...rest, status: 'shipped', complete: true, shippedAt: time };
    } else {
      order = { ...order, status: 'cancelled', cancelledAt: time, cancelReason: reason };
    }
  }
  return order as Partial<Order> | undefined;
}

describe('The state of an order at a position', () => {
  it('is the fold of its events up to there, in any history', () => {
    fc.assert(
      fc.property(logs, fc.nat(30), (log, position) => {
        for (const id of new Set(log.map(({ data }) => data.orderId))) {
          const events = log.filter(({ data }) => data.orderId === id);
          const then = stepsUpTo(stepsOf(events), position).at(-1)?.state;
          const upTo = events.filter((event) => event.position <= position);
          expect(then).toEqual(foldOf(upTo));
        }
      }),
    );
  });
});

const summary = (asOf: number, total: number, shipped: number, cancelled: number): Summary => ({
  asOf,
  orders: { total, shipped, cancelled, pending: total - shipped - cancelled },
});

describe('The bars of the activity', () => {
  const counts = fc.record({ placed: fc.nat(9), shipped: fc.nat(9), cancelled: fc.nat(9) });

  it('have all events, and each ends at the position of its last one', () => {
    fc.assert(
      fc.property(fc.array(counts, { maxLength: 50 }), fc.nat(100), (data, before) => {
        const sumOf = (some: typeof data) =>
          some.reduce((sum, each) => sum + each.placed + each.shipped + each.cancelled, 0);
        const asOf = before + sumOf(data);
        const activity = { asOf, data: data.map((each) => ({ ...each, start: '' })) };
        const bars = barsOf(activity as unknown as Activity);
        expect(bars.map(({ end }) => end)).toEqual(
          data.map((_, index) => before + sumOf(data.slice(0, index + 1))),
        );
      }),
    );
  });

  it('are hours in a young store, and at most a thousand days in an old one', () => {
    const now = '2026-11-24T20:00:00.000Z';
    expect(bucketsSince('2026-11-22T20:00:00.000Z', now).bucket).toBe('hour');
    const year = '2025-11-24T20:00:00.000Z';
    expect(bucketsSince(year, now)).toEqual({ bucket: 'day', from: year });
    const { from } = bucketsSince('2001-01-01T00:00:00.000Z', now);
    const days = (Date.parse(now) - Date.parse(from)) / 86_400_000;
    expect(days).toBe(999);
  });
});

test('The difference of two moments is what happened between them', () => {
  const [then, now] = [summary(5, 4, 1, 0), summary(12, 8, 3, 1)];
  const counts = EVENT_TYPES.map((type) => [type, eventsBetween(then, now, type)]);
  expect(Object.fromEntries(counts)).toEqual({
    OrderPlaced: 4,
    OrderShipped: 2,
    OrderCancelled: 1,
  });
});

test('A step of a day ends at the present', () => {
  const now = '2026-11-24T20:00:00.000Z';
  expect(daysFrom('2026-11-20T20:00:00Z', -1, now)).toBe('2026-11-19T20:00:00.000Z');
  expect(daysFrom('2026-11-24T00:00:00Z', 1, now)).toBeUndefined();
});

test('A step of a day back never leads to the present', () => {
  const before = '2023-11-24T20:00:00.000Z';
  expect(daysFrom('2026-11-20T20:00:00Z', -1, before)).toBe('2026-11-19T20:00:00.000Z');
});

test('A step of a day forward goes on through events that are ahead of the clock', () => {
  const [present, lastEventAt] = ['2026-12-01T02:00:00.000Z', '2026-12-09T02:00:00.000Z'];
  const moment = '2026-12-03T02:00:00.000Z';
  expect(daysFrom(moment, 1, endOf({ lastEventAt }, present))).toBe('2026-12-04T02:00:00.000Z');
  expect(daysFrom(lastEventAt, 1, endOf({ lastEventAt }, present))).toBeUndefined();
  expect(endOf({ lastEventAt: moment }, lastEventAt)).toBe(lastEventAt);
  expect(endOf({}, present)).toBe(present);
});

test('A moment that was typed is one of the zone', () => {
  expect(instantIn('2026-03-01T12:00', 'utc')).toBe('2026-03-01T12:00:00Z');
  expect(instantIn('2026-03-01T12:00:01', 'utc')).toBe('2026-03-01T12:00:01Z');
  const local = instantIn('2026-03-01T12:00', 'local') ?? '';
  expect(Date.parse(local)).toBe(new Date(2026, 2, 1, 12).getTime());
});

test.each(['utc', 'local'] as const)(
  'A moment beyond the year 9999, or none, is not one in the zone %s',
  (zone) => {
    const none = ['12026-03-01T12:00', '275760-09-13T00:00', '9999-12-32T00:00', '', 'noon'];
    expect(none.map((text) => instantIn(text, zone))).toEqual(none.map(() => undefined));
  },
);

test('A position has its epoch where the log was cut', () => {
  expect(placeIn('0', 7)).toBe(7);
  expect(placeIn('2.0123abcd0123abcd0123abcd0123abcd', 7)).toBe('2.0123abcd:7');
  expect([positionIn('7'), positionIn('2.0123abcd:7')]).toEqual([7, 7]);
});
