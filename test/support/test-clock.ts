import type { Clocks } from '../../src/app/clock.ts';

/** Clocks that advance only when a test moves them. */
export interface TestClock extends Clocks {
  /** Advances both clocks. */
  pass(milliseconds: number): void;
  /** Steps the wall clock by an offset, forward if it is positive. */
  step(milliseconds: number): void;
}

export function clockAt(time: string): TestClock {
  let wall = Date.parse(time);
  // The origin is arbitrary, so that no code can mistake it for a time of day.
  let elapsed = 1_234.5;
  return {
    wall: () => wall,
    elapsed: () => elapsed,
    pass(milliseconds) {
      wall += milliseconds;
      elapsed += milliseconds;
    },
    step(milliseconds) {
      wall += milliseconds;
    },
  };
}
