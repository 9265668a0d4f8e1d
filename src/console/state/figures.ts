/** Figures that are computed from answers of the API. */
import type { Activity } from '../../client/client.ts';

/** Returns the number of events in a bucket. */
export function eventsIn({ placed, shipped, cancelled }: Activity['data'][number]): number {
  return placed + shipped + cancelled;
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

/** Returns the number of events and the root in a checkpoint: its second and third line. */
export function readCheckpoint(note: string): { readonly size: number; readonly root: string } {
  const [, size = '', root = ''] = note.split('\n');
  return { size: Number(size), root };
}
