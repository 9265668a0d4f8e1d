import { type Instant, instantAt } from '../domain/instant.ts';

/**
 * The two clocks of the service. The linter refuses `Date` elsewhere, but for the files that it names.
 *
 * The wall clock says what time it is: for what is recorded, for the expiry of keys and the end of
 * deprecated operations, and for the log's own stamps. It may be set at any moment, in either direction.
 * Whatever asks how long something takes, or how old something is, goes by the elapsed time, which only
 * grows, at the wall clock's rate and through every step of it.
 */
export interface Clocks {
  /** Milliseconds since 1970, by the machine's setting. */
  readonly wall: () => number;
  /** Milliseconds since some moment before: to be compared with others of the same thread alone. */
  readonly elapsed: () => number;
}

/** The machine's own clocks. */
export const CLOCKS: Clocks = { wall: () => Date.now(), elapsed: () => performance.now() };

/** This moment, by the wall clock. Throws where that is outside the years 0000 to 9999. */
export function now(wall: () => number = CLOCKS.wall): Instant {
  const instant = instantAt(wall());
  if (instant === undefined) throw new Error(CLOCK_OUT_OF_RANGE);
  return instant;
}

export const CLOCK_OUT_OF_RANGE = 'the clock is outside the years 0000 to 9999';

/**
 * Returns a clock for what must never come back once its time is over: the wall clock, or, where
 * that was set back, the time that it would show if nobody had. Set forward and back again, it is
 * right again. What it was at its making cannot be judged: if it was ahead then and was corrected
 * since, the clock stays ahead for as long as the process runs.
 */
export function clockForExpiry({ wall, elapsed }: Clocks): () => number {
  const offset = wall() - elapsed();
  return () => Math.max(wall(), offset + elapsed());
}
