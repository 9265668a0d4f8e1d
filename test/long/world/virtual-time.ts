import { CLOCKS } from '../../../src/app/clock.ts';

/**
 * Time that passes only when nothing else can happen. While it is installed, it stands in for the
 * process's timers and both clocks of the service, so that a run of any virtual length takes as long
 * as its computation, and depends on nothing but its seed.
 */

/** A callback that is due at a moment. */
interface Due {
  readonly atMs: number;
  /** The order among callbacks of one moment. */
  readonly order: number;
  run(): void;
}

const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis;
const CLOCKS_OF_MACHINE = { ...CLOCKS };

/** 2026-01-01: any moment would do. */
export const BEGIN_MS = 1_767_225_600_000;

export class VirtualTime {
  #nowMs = 0;
  #stepMs = 0;
  /** True once the wall clock was stepped back. */
  hasSteppedBack = false;
  #orders = 0;
  /** Sorted, the next one last. */
  readonly #due: Due[] = [];

  /** Replaces the timers and the clocks of this process. Returns a function that puts them back. */
  install(): () => void {
    const later = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]) => {
      return this.after(ms, () => run(...given));
    };
    Object.assign(globalThis, {
      setTimeout: later,
      setImmediate: (run: () => void) => this.after(0, run),
      clearTimeout: (timer?: Timer) => timer?.cancel(),
      clearImmediate: (timer?: Timer) => timer?.cancel(),
    });
    Object.assign(CLOCKS, { wall: () => this.wallMs, elapsed: () => this.#nowMs });
    return () => {
      Object.assign(globalThis, { setTimeout, clearTimeout, setImmediate, clearImmediate });
      Object.assign(CLOCKS, CLOCKS_OF_MACHINE);
    };
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** The time of day, which may be stepped. */
  get wallMs(): number {
    return Math.floor(BEGIN_MS + this.#nowMs + this.#stepMs);
  }

  /** Steps the wall clock. */
  step(ms: number): void {
    this.hasSteppedBack ||= ms < 0;
    this.#stepMs += ms;
  }

  after(ms: number, run: () => void): Timer {
    const due = { atMs: this.#nowMs + Math.max(0, ms), order: this.#orders++, run };
    let index = this.#due.length;
    while (index > 0 && isBefore(this.#due[index - 1] as Due, due)) index -= 1;
    this.#due.splice(index, 0, due);
    return new Timer(() => {
      const at = this.#due.indexOf(due);
      if (at !== -1) this.#due.splice(at, 1);
    });
  }

  /** Resolves after some virtual time. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Runs what is due, one callback after another, until a condition holds. Returns false at the limit. */
  async runUntil(isOver: () => boolean, limitMs: number): Promise<boolean> {
    for (;;) {
      // All promises are settled before the next callback, as between two of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOver()) return true;
      const next = this.#due.pop();
      if (next === undefined || next.atMs > limitMs) return false;
      this.#nowMs = next.atMs;
      next.run();
    }
  }
}

function isBefore(one: Due, other: Due): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

/** What setTimeout returns, as far as the service uses it. */
export class Timer {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  unref(): this {
    return this;
  }

  ref(): this {
    return this;
  }
}
