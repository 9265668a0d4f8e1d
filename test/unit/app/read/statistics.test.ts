import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import {
  activityIn,
  BUCKET_MS,
  bucketsOf,
  type EventCounts,
  summaryAt,
} from '../../../../src/app/read/statistics.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import { millisecondsOf, nearestInstant } from '../../../../src/domain/instant.ts';
import { cancelled, NOON, placed, recorded, shipped } from '../../../support/events.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';

function listOf(events: Iterable<RecordedEvent>): OrderList<null> {
  const list = new OrderList(() => null);
  for (const event of events) list.fold(event);
  return list;
}

const NOON_MS = millisecondsOf(NOON);

/** The events with these times, in milliseconds after noon. */
function at(afterNoonMs: readonly number[], events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((event, index) => {
    const time = nearestInstant(NOON_MS + (afterNoonMs[index] as number));
    return { ...event, metadata: { ...event.metadata, at: time } };
  });
}

function counted(events: readonly RecordedEvent[]): EventCounts {
  const of = (type: string) => events.filter(({ event }) => event.type === type).length;
  return {
    placed: of('OrderPlaced'),
    shipped: of('OrderShipped'),
    cancelled: of('OrderCancelled'),
  };
}

describe('the summary of the orders', () => {
  it('is of nothing before the first event', () => {
    expect(summaryAt(listOf([]), 0)).toStrictEqual({
      position: 0,
      lastEventAt: undefined,
      total: 0,
      byStatus: { pending: 0, shipped: 0, cancelled: 0 },
    });
  });

  it('has the numbers of the orders at every position, whatever has happened', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const list = listOf(history);
        for (let position = 0; position <= history.length; position++) {
          const orders = naiveOrders(history.slice(0, position));
          const of = (status: string) => orders.filter((order) => order.status === status).length;
          expect(summaryAt(list, position)).toStrictEqual({
            position,
            lastEventAt: history[position - 1]?.metadata.at,
            total: orders.length,
            byStatus: {
              pending: of('pending'),
              shipped: of('shipped'),
              cancelled: of('cancelled'),
            },
          });
        }
      }),
    );
  });

  it('is the same after the list was packed, and goes on', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (history, cut) => {
        const middle = cut % (history.length + 1);
        const packed = listOf(history.slice(0, middle)).pack();
        const list = new OrderList(() => null, packed);
        for (const event of history.slice(middle)) list.fold(event);
        const whole = listOf(history);
        for (let position = 0; position <= history.length; position++) {
          expect(summaryAt(list, position)).toStrictEqual(summaryAt(whole, position));
        }
      }),
    );
  });

  it('counts more cancellations than there is room for at first', () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
    const list = listOf(
      recorded(...ids.map((id) => placed(id)), ...ids.map((id) => cancelled(id))),
    );
    expect(summaryAt(list, 5_500).byStatus).toStrictEqual({
      pending: 500,
      shipped: 0,
      cancelled: 2_500,
    });
  });
});

describe('the buckets of a range of times', () => {
  const hour = BUCKET_MS.hour;

  it.each([
    ['whole hours', 2 * hour, 4 * hour, 2 * hour, 2],
    ['all that it touches', 2 * hour + 1, 4 * hour + 1, 2 * hour, 3],
    ['one, if it is short', 2 * hour + 1, 2 * hour + 2, 2 * hour, 1],
    ['none, if it is empty', 2 * hour, 2 * hour, 2 * hour, 0],
    ['none, if it ends before it begins', 5 * hour, 2 * hour, 5 * hour, 0],
    ['those before 1970', -hour - 1, 0, -2 * hour, 2],
  ])('are %s', (_what, fromMs, toMs, beginMs, count) => {
    expect(bucketsOf(hour, fromMs, toMs)).toStrictEqual({ beginMs, bucketMs: hour, count });
  });
});

describe('the activity', () => {
  it('counts each event in the bucket that it was recorded in', () => {
    const events = at(
      [-1, 0, 3_599_999, 3_600_000, 9_000_000],
      recorded(placed(1n), placed(2n), shipped(1n), cancelled(2n), placed(3n)),
    );
    const buckets = bucketsOf(BUCKET_MS.hour, NOON_MS, NOON_MS + 4 * BUCKET_MS.hour);
    expect(activityIn(listOf(events), buckets)).toStrictEqual([
      { start: '2026-01-01T12:00:00.000Z', placed: 1, shipped: 1, cancelled: 0 },
      { start: '2026-01-01T13:00:00.000Z', placed: 0, shipped: 0, cancelled: 1 },
      { start: '2026-01-01T14:00:00.000Z', placed: 1, shipped: 0, cancelled: 0 },
      { start: '2026-01-01T15:00:00.000Z', placed: 0, shipped: 0, cancelled: 0 },
    ]);
  });

  it('agrees with counting one by one, whatever has happened', () => {
    const bucketMs = BUCKET_MS.hour;
    fc.assert(
      fc.property(
        histories,
        fc.array(fc.nat(bucketMs), { minLength: 40, maxLength: 40 }),
        (history, waits) => {
          let afterNoonMs = 0;
          const times = waits.map((wait) => (afterNoonMs += wait));
          const events = at(times, history);
          const buckets = bucketsOf(bucketMs, NOON_MS, NOON_MS + afterNoonMs + 1);
          const activity = activityIn(listOf(events), buckets);
          expect(activity).toHaveLength(buckets.count);
          for (const { start, ...counts } of activity) {
            const beginMs = millisecondsOf(start);
            const its = events.filter(({ metadata }) => {
              const ms = millisecondsOf(metadata.at);
              return ms >= beginMs && ms < beginMs + bucketMs;
            });
            expect(counts).toStrictEqual(counted(its));
          }
        },
      ),
    );
  });
});
