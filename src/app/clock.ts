/** The clocks of the service. */

import { type Instant, instantAt, nearestInstant } from '../domain/instant.ts';

/**
 * The two clocks of the service. The linter refuses `Date` elsewhere, but for the files that it
 * names.
 *
 * The wall clock gives the time of day: for recorded times, the expiry of keys, the end of
 * deprecated operations, and the log file. It may be set at any moment, in either direction.
 * Durations and ages are measured by the elapsed time, which only grows, at the wall clock's rate
 * and through every step of it.
 */
export interface Clocks {
  /** Milliseconds since 1970, by the machine's setting. */
  readonly wall: () => number;
  /** Milliseconds since an arbitrary moment: comparable within one thread only. */
  readonly elapsed: () => number;
}

/** The machine's own clocks. */
export const CLOCKS: Clocks = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * Returns the present by the wall clock, for what states a time to others. Throws if it is outside
 * the years 0000 to 9999.
 */
export function now(wall: () => number = CLOCKS.wall): Instant {
  const instant = instantAt(wall());
  if (instant === undefined) throw new Error(CLOCK_OUT_OF_RANGE);
  return instant;
}

/** Returns the present, or what is nearest to it, for what is more urgent than to have the right time. */
export function nearestNow(wall: () => number = CLOCKS.wall): Instant {
  return nearestInstant(wall());
}

export const CLOCK_OUT_OF_RANGE = 'the clock is outside the years 0000 to 9999';

/**
 * Returns a clock for expiry, by which an expired key never becomes valid again: the wall clock,
 * or, if that was set back, the time that it would otherwise show. Setting the wall clock forward
 * and back again has no lasting effect. If it was ahead when this clock was created, and is
 * corrected later, this clock stays ahead as long as the process runs.
 */
export function clockForExpiry({ wall, elapsed }: Clocks): () => number {
  const offset = wall() - elapsed();
  return () => Math.max(wall(), offset + elapsed());
}
