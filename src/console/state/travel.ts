/** Then and now: what lies between a moment of the log and its end, from numbers alone. */
import type { Activity, EventType, Summary } from '../../client/client.ts';
import { LIVES, STATUSES } from '../../domain/order-lives.ts';
import { instantAfter, millisecondsOf } from './clock.ts';
import { eventsIn } from './figures.ts';

const DAY_MS = 86_400_000;
/** A store as young as this is shown by the hour. */
const YOUNG_DAYS = 4;
/** The most buckets of one answer, less one for the day that is not over. */
const BUCKETS_MAX = 999;

/**
 * Returns how many events of a type there were between two moments: as many as there are more orders now
 * that have such an event behind them.
 */
export function eventsBetween(then: Summary, now: Summary, type: EventType): number {
  const past = STATUSES.filter((status) => LIVES[status].includes(type));
  return past.reduce((sum, status) => sum + now.orders[status] - then.orders[status], 0);
}

/** Returns the buckets by which the time since the first event is shown. */
export function bucketsSince(firstAt: string, now: string) {
  const days = (millisecondsOf(now) - millisecondsOf(firstAt)) / DAY_MS;
  if (days <= YOUNG_DAYS) return { bucket: 'hour', from: firstAt } as const;
  const from = days > BUCKETS_MAX ? instantAfter(now, -BUCKETS_MAX * DAY_MS) : firstAt;
  return { bucket: 'day', from } as const;
}

export interface Bar {
  readonly start: string;
  readonly events: number;
  /** The position of the last event in it. */
  readonly end: number;
}

/** Returns a bar for each bucket. The log ends with the last one. */
export function barsOf({ asOf, data }: Activity): readonly Bar[] {
  let end = asOf;
  const bars = data.toReversed().map((bucket) => {
    const bar = { start: bucket.start, events: eventsIn(bucket), end };
    end -= bar.events;
    return bar;
  });
  return bars.reverse();
}

/** Returns the present, or the time of the last event where that is later: the clock may have been set back since. */
export function endOf({ lastEventAt: lastAt }: Pick<Summary, 'lastEventAt'>, present: string) {
  return lastAt !== undefined && lastAt > present ? lastAt : present;
}

/** Returns a moment whole days from another one; `undefined` if a step forward leads to the end or beyond. */
export function daysFrom(moment: string, days: number, end: string): string | undefined {
  const shifted = instantAfter(moment, days * DAY_MS);
  return days > 0 && millisecondsOf(shifted) >= millisecondsOf(end) ? undefined : shifted;
}
