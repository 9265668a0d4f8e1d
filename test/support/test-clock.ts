import type { Clocks } from '../../src/app/clock.ts';

/** Clocks that stand still until a test moves them. */
export interface TestClock extends Clocks {
  /** Lets time go by, for both of them. */
  pass(milliseconds: number): void;
  /** Sets the wall clock, forward where it is positive. */
  step(milliseconds: number): void;
}

export function clockAt(time: string): TestClock {
  let wall = Date.parse(time);
  // It begins anywhere: nothing may take it for a time of day.
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
