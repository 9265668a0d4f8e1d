import { type Instant, instantAt } from '../domain/instant.ts';

/** This moment, by a clock of milliseconds since 1970. Throws if the clock is out of its mind. */
export function now(clock: () => number = Date.now): Instant {
  const instant = instantAt(clock());
  if (instant === undefined) throw new Error('the clock is outside the years 0000 to 9999');
  return instant;
}
