/** The looks at the wall clock while the service runs. */

import { instantAt } from '../../domain/instant.ts';
import { CLOCK_OUT_OF_RANGE, CLOCKS, type Clocks } from '../clock.ts';
import type { StoreWatcher } from '../ports/store.ts';

/** The interval at which the clocks are compared, in milliseconds. */
const WATCH_EVERY_MS = 1_000;
/** The smallest reported step, in milliseconds: NTP slews smaller errors, and steps larger ones. */
const MIN_STEP_MS = 500;

/**
 * Compares the wall clock with the elapsed time, and reports every step between them, positive if
 * it is forward. A machine that was suspended shows as a step forward. Returns a function that ends
 * the comparison.
 */
export function watchClock(stepped: (stepMs: number) => void, clocks: Clocks = CLOCKS): () => void {
  const offset = () => clocks.wall() - clocks.elapsed();
  let last = offset();
  const timer = setInterval(() => {
    const current = offset();
    const step = Math.round(current - last);
    // Slewing moves both clocks alike, so small differences do not add up.
    last = current;
    if (Math.abs(step) >= MIN_STEP_MS) stepped(step);
  }, WATCH_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/**
 * Reports that the wall clock shows a time that cannot be recorded, and that it no longer does. Returns a
 * function that ends the looks.
 */
export function watchClockRange(
  watcher: Pick<StoreWatcher, 'impaired' | 'mended'>,
  wall = CLOCKS.wall,
): () => void {
  const timer = setInterval(() => {
    if (instantAt(wall()) !== undefined) watcher.mended('clock_out_of_range');
    else watcher.impaired('clock_out_of_range', new Error(CLOCK_OUT_OF_RANGE));
  }, WATCH_EVERY_MS).unref();
  return () => clearInterval(timer);
}
