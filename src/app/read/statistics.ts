/**
 * Numbers of orders and events, now and at any moment of the past. Each count takes a few binary
 * searches, however long the log is.
 */

import { type Instant, instantAt, nearestInstant } from '../../domain/instant.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { lastEventOf, type OrderStatus, STATUSES, statusBefore } from '../../domain/order-lives.ts';
import { EVENT_TYPES } from '../log/recorded-event.ts';
import type { OrderList } from '../state/order-list.ts';

/** The orders at a moment of the log. */
export interface Summary {
  readonly position: number;
  /** The time of recording of the event at the position; absent at position 0. */
  readonly lastEventAt: Instant | undefined;
  readonly total: number;
  readonly byStatus: Readonly<Record<OrderStatus, number>>;
}

/** Returns the number of orders of each status as of a position, which must not be beyond the list's. */
export function summaryAt(list: OrderList<unknown>, position: number): Summary {
  const total = list.sizeAt(position);
  const counts = list.timeline.countsAt(position, total);
  const lastEventAt = instantAt(list.timeline.timeAt(position));
  const byStatus = STATUSES.map((status) => [status, ordersIn(status, counts)]);
  return { position, lastEventAt, total, byStatus: Object.fromEntries(byStatus) };
}

/** Returns the number of orders in a status: of those that came to it, those that no event took further. */
function ordersIn(
  status: OrderStatus,
  counts: Readonly<Record<OrderEvent['type'], number>>,
): number {
  const further = EVENT_TYPES.filter((type) => statusBefore(type) === status);
  return further.reduce((left, type) => left - counts[type], counts[lastEventOf(status)]);
}

/** The events of a log, or of a part of it, by what they did to an order. */
export interface EventCounts {
  readonly placed: number;
  readonly shipped: number;
  readonly cancelled: number;
}

function eventsUpTo(list: OrderList<unknown>, position: number): EventCounts {
  const counts = list.timeline.countsAt(position, list.sizeAt(position));
  return {
    placed: counts.OrderPlaced,
    shipped: counts.OrderShipped,
    cancelled: counts.OrderCancelled,
  };
}

/** The lengths of time by which events are counted. All begin at whole ones in UTC. */
export const BUCKET_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** The buckets that a range of times lies in, in milliseconds since 1970. */
export interface Buckets {
  readonly beginMs: number;
  readonly bucketMs: number;
  /** 0 for a range that ends before it begins. */
  readonly count: number;
}

/** Returns the buckets of a length that a range of times lies in: all that it touches, as a whole. */
export function bucketsOf(bucketMs: number, fromMs: number, toMs: number): Buckets {
  const first = Math.floor(fromMs / bucketMs);
  const end = Math.ceil(toMs / bucketMs);
  return { beginMs: first * bucketMs, bucketMs, count: Math.max(0, end - first) };
}

/** The events recorded in one bucket. */
export interface Bucket extends EventCounts {
  readonly start: Instant;
}

/** Returns the events of the log in each bucket, empty ones included. */
export function activityIn(list: OrderList<unknown>, buckets: Buckets): readonly Bucket[] {
  const { beginMs, bucketMs, count } = buckets;
  const upTo = (ms: number) => eventsUpTo(list, list.timeline.eventsBefore(ms));
  let before = upTo(beginMs);
  return Array.from({ length: count }, (_, index) => {
    const startMs = beginMs + index * bucketMs;
    const [earlier, later] = [before, upTo(startMs + bucketMs)];
    before = later;
    return {
      start: nearestInstant(startMs),
      placed: later.placed - earlier.placed,
      shipped: later.shipped - earlier.shipped,
      cancelled: later.cancelled - earlier.cancelled,
    };
  });
}
