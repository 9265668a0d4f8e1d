/** The paces at which a store is read to be checked. */

import { setTimeout } from 'node:timers/promises';

/** Waits until more may be read, after so many bytes. */
export type Pace = (bytes: number) => Promise<unknown>;

/** Reads on at once. */
export const UNPACED: Pace = async () => undefined;

/** Shorter waits than this are put off: a timer is not more exact. */
const MIN_WAIT_MS = 20;

/** Makes a pace of a number of bytes a second. */
export function paceOf(bytesPerSecond: number): Pace {
  let dueMs = performance.now();
  return async (bytes) => {
    const nowMs = performance.now();
    // Bytes that were not read in time are not read faster later.
    dueMs = Math.max(dueMs, nowMs) + (bytes / bytesPerSecond) * 1_000;
    if (dueMs - nowMs >= MIN_WAIT_MS) await setTimeout(dueMs - nowMs);
  };
}
