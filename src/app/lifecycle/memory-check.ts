/** Checks that the process may use the memory that something needs, before that is begun. */
import { UserError } from './user-error.ts';

/**
 * The least memory that a process with one client needs, and for each event of the log, and as text of
 * the list. Measured in control groups of Linux: with less, the process was killed at the latest by the
 * first lists.
 */
const BASE_BYTES = 159_383_552;
const EVENT_BYTES = 30;
const TEXT_BYTES = 80;
/** The most memory that a second list takes for an event while it is folded and written. */
const SECOND_LIST_BYTES = 160;

/**
 * Throws {@link UserError} if a log with so many events cannot be served within the limit.
 * Otherwise the system would kill the process at each start, or at each first list.
 * @param maxTextBytes The most text of the list that is kept, in bytes.
 * @param limit The most memory that the process may use, in bytes; 0 if there is no limit.
 */
export function requireMemory(
  events: number,
  maxTextBytes: number,
  limit = process.constrainedMemory(),
): void {
  const text = Math.min(TEXT_BYTES * events, maxTextBytes);
  const needed = BASE_BYTES + EVENT_BYTES * events + text;
  if (limit === 0 || needed <= limit) return;
  throw new UserError(
    `the store has ${events} events and needs at least ${megabytes(needed)} MB of memory, and this ` +
      `process may use ${megabytes(limit)} MB: raise the memory limit of its container or service`,
  );
}

/**
 * Returns the reason why a second list of so many events must not be made; `undefined` if it may be.
 * @param limit As of {@link requireMemory}.
 * @param used The memory that the process uses, in bytes.
 */
export function reasonAgainstSecondList(
  events: number,
  limit = process.constrainedMemory(),
  used = process.memoryUsage.rss(),
): Error | undefined {
  const needed = used + SECOND_LIST_BYTES * events;
  if (limit === 0 || needed <= limit) return undefined;
  return new Error(
    `that takes up to ${megabytes(needed)} MB of memory while commands are served, and this process ` +
      `may use ${megabytes(limit)} MB: it is saved at a stop only`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}
