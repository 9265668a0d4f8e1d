/** Figures that are computed from answers of the API. */
import { type Activity, type Key, StoreOrdersError } from '../../client/client.ts';

type Bucket = Activity['data'][number];

/** The titles of the numbers in each bucket. */
const TITLES: Readonly<Record<keyof Omit<Bucket, 'start'>, string>> = {
  placed: 'Placed',
  shipped: 'Shipped',
  cancelled: 'Cancelled',
};

/** The numbers in each bucket, with their titles. */
export const COUNTS = Object.entries(TITLES) as [keyof typeof TITLES, string][];

/** Returns the number of events in a bucket. */
export function eventsIn(bucket: Bucket): number {
  return COUNTS.reduce((sum, [name]) => sum + bucket[name], 0);
}

/**
 * Returns the events in the last whole minute, and the mean of all whole ones, with one decimal.
 * @param minutes Buckets of a minute each. The last one is not over.
 */
export function perMinute(minutes: Activity['data']): {
  readonly last: number;
  readonly mean: string;
} {
  const whole = minutes.slice(0, -1).map(eventsIn);
  const sum = whole.reduce((total, events) => total + events, 0);
  return { last: whole.at(-1) ?? 0, mean: (sum / Math.max(1, whole.length)).toFixed(1) };
}

/**
 * Returns the number of events and the root in a checkpoint: its second and third line. Throws `unexpected_response`
 * for one of another log.
 * @param key The public key of the log, which begins with its name.
 */
export function readCheckpoint(
  note: string,
  key: string,
): { readonly size: number; readonly root: string } {
  const [origin = '', size = '', root = ''] = note.split('\n');
  const [name] = key.split('+');
  // Behind the name is the epoch of a log that was cut.
  if (origin.split('+')[0] === name) return { size: Number(size), root };
  const message = `The answer is a checkpoint of ${origin}, not of ${name}.`;
  throw new StoreOrdersError('unexpected_response', message);
}

/** Returns the limits of a key in words. A number may be 1: none stands before a plural. */
export function limitsText({ rate, concurrent, streams }: Key['limits'] = {}): string {
  const words = [
    rate && `requests: ${rate.requests} in ${rate.seconds} s, and at once: ${rate.burst}`,
    concurrent && `under way: ${concurrent}`,
    streams && `event streams: ${streams}`,
  ];
  return words.filter(Boolean).join('; ') || 'none of its own';
}
