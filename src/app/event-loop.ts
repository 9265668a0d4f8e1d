/**
 * Resolves after other work has had a turn of the event loop. By the global timer, as {@link pause}: the
 * simulation of test/long/world replaces these, and cannot replace those of `node:timers/promises`.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Turns of the event loop for the parts of long work, given out one by one: however many do such work,
 * other work waits for one part at most.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves in a turn that nobody else is given, in the order of the calls. */
  next(): Promise<void> {
    this.#last = this.#last.then(nextTurn);
    return this.#last;
  }
}

/** Resolves after a number of milliseconds. Does not keep the process alive. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds).unref());
}

/**
 * Returns a sampler of the event loop's utilization (0 to 1) since its previous call.
 */
export function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
