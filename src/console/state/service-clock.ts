/**
 * The clock of the service, as its answers state it. The browser's own may be off by years, and moments of the log
 * are those of the service.
 */
import { millisecondsOf } from './clock.ts';

/** The least difference that counts, in milliseconds: one below may be that of the answer's way. */
const DIFFERENCE_MS_MIN = 10_000;

export class ServiceClock {
  readonly #now: () => number;
  #aheadMs = 0;

  /** @param now Returns the browser's time, in milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes the time in the `Date` of an answer that has just come. Anything else changes nothing. */
  hear(date: string | null): void {
    const aheadMs = millisecondsOf(date ?? '') - this.#now();
    if (Number.isNaN(aheadMs)) return;
    this.#aheadMs = Math.abs(aheadMs) < DIFFERENCE_MS_MIN ? 0 : aheadMs;
  }

  /** Returns milliseconds since 1970; those of the browser before the first answer. */
  now(): number {
    return this.#now() + this.#aheadMs;
  }
}
