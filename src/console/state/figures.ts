/** Figures that are computed from answers of the API. */
import type { Activity } from '../../client/client.ts';
import { millisecondsOf, now } from './clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;

/** Returns the events a minute in the hour under way, and in the one before, with one decimal. */
export function perMinute(
  hours: Activity['data'],
  at = now(),
): { readonly current: string; readonly before: string } {
  const [last, previous] = [hours.at(-1), hours.at(-2)];
  // Less than a minute counts as one: the first event of an hour is no rush.
  const begun = last === undefined ? 0 : (at - millisecondsOf(last.start)) / MINUTE_MS;
  const minutes = Math.min(HOUR_MINUTES, Math.max(1, begun));
  return { current: rate(last, minutes), before: rate(previous, HOUR_MINUTES) };
}

function rate(hour: Activity['data'][number] | undefined, minutes: number): string {
  if (hour === undefined) return '0.0';
  return ((hour.placed + hour.shipped + hour.cancelled) / minutes).toFixed(1);
}

/** Returns the number of events and the root in a checkpoint: its second and third line. */
export function readCheckpoint(note: string): { readonly size: number; readonly root: string } {
  const [, size = '', root = ''] = note.split('\n');
  return { size: Number(size), root };
}
