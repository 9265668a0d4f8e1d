import { setTimeout } from 'node:timers/promises';

/** Waits until so many bytes may have been read since it was made. */
export type Pace = (bytes: number) => Promise<unknown>;

/** As fast as it goes. */
export const AT_ONCE: Pace = async () => undefined;

/** Shorter waits than this are put off, in milliseconds: a timer is not more exact. */
const SHORTEST_WAIT_MS = 20;

/** Makes a pace of a number of bytes a second. */
export function paceOf(bytesPerSecond: number): Pace {
  let due = performance.now();
  return async (bytes) => {
    const now = performance.now();
    // What was not used while nothing was read is lost: afterwards it goes no faster.
    due = Math.max(due, now) + (bytes / bytesPerSecond) * 1_000;
    if (due - now >= SHORTEST_WAIT_MS) await setTimeout(due - now);
  };
}
