/** The check that a process may use the memory that its store needs, before it reads the store. */
import { CannotStart } from './cannot-start.ts';

/**
 * The least that a process needs by itself with one client, and for each event of the log. Measured in
 * control groups of Linux: with less, the process was killed at the latest by the first lists.
 */
const BASE_BYTES = 159_383_552;
const EVENT_BYTES = 160;

/**
 * Throws {@link CannotStart} if a log with so many events can never be served within the limit. Without
 * that, the system would kill the process while it starts, or at the first list, again and again.
 * @param limit The most memory that the process may use, in bytes; 0 if there is no limit.
 */
export function requireMemory(events: number, limit = process.constrainedMemory()): void {
  const needed = BASE_BYTES + EVENT_BYTES * events;
  if (limit === 0 || needed <= limit) return;
  throw new CannotStart(
    `the store has ${events} events and needs at least ${megabytes(needed)} MB of memory, and this ` +
      `process may use ${megabytes(limit)} MB: raise the memory limit of its container or service`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
