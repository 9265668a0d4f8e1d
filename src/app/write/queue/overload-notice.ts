/** The two lines in the log about a time in which commands are refused. */

import type { DelayLimits } from './controlled-delay.ts';

interface Shedding {
  readonly sinceMs: number;
  lastMs: number;
  refused: number;
}

/** Reports the first of many commands that are refused, and their number after the last. */
export class OverloadNotice {
  readonly #noticed: (message: string, about: object) => void;
  readonly #limits: DelayLimits;
  #shedding: Shedding | undefined;

  constructor(noticed: (message: string, about: object) => void, limits: DelayLimits) {
    this.#noticed = noticed;
    this.#limits = limits;
  }

  /** True from the first line to the second. */
  get isOpen(): boolean {
    return this.#shedding !== undefined;
  }

  /** @param waiting The number of commands that wait. */
  refused(count: number, waiting: number, nowMs: number): void {
    if (this.#shedding === undefined) {
      this.#shedding = { sinceMs: nowMs, lastMs: nowMs, refused: 0 };
      const { targetMs } = this.#limits;
      this.#noticed('overloaded: commands are refused', { waiting, targetMs });
    }
    this.#shedding.lastMs = nowMs;
    this.#shedding.refused += count;
  }

  /** Reports the number of refused commands, if the last one was refused an interval ago. */
  endIfOver(nowMs: number): void {
    if (this.#shedding === undefined) return;
    const { sinceMs, lastMs, refused } = this.#shedding;
    if (nowMs - lastMs < this.#limits.intervalMs) return;
    this.#shedding = undefined;
    const durationMs = Math.round(lastMs - sinceMs);
    this.#noticed('no longer overloaded: commands are taken again', { refused, durationMs });
  }
}
