/** The time limits of requests, and the waits between them. Both end early with a caller's signal. */

/** The longest delay that timers accept, in milliseconds: they fire at once after a longer one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The functions to call when a signal aborts. */
const callsOf = new WeakMap<EventTarget, Set<() => void>>();

/**
 * Calls a function when a signal aborts. Returns a function that ends that. The calls of an application may
 * share one signal, and Node.js 20 warns of more than ten listeners: one stands for all of them.
 */
function onAbort(signal: AbortSignal, call: () => void): () => void {
  const calls = callsOf.get(signal) ?? new Set();
  callsOf.set(signal, calls.add(call));
  // The same listener is added once only.
  signal.addEventListener('abort', callAll);
  return () => {
    calls.delete(call);
    if (calls.size === 0) signal.removeEventListener('abort', callAll);
  };
}

function callAll({ currentTarget }: Event): void {
  for (const call of callsOf.get(currentTarget as EventTarget) ?? []) call();
}

/** A signal that aborts with another one, or when its timer runs out. */
export class Limit {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  /** The caller's signal. */
  readonly outer: AbortSignal | undefined;
  /** The time at which it was made, by `performance.now()`. */
  readonly begun: number = performance.now();
  readonly #forget: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The end of the time, by the same clock. */
  #end = Infinity;
  /** True once the timer has run out. */
  isTimedOut = false;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    if (outer?.aborted) this.#abort();
    else if (outer) this.#forget = onAbort(outer, this.#abort);
  }

  /** True once the caller has aborted. */
  get isAborted(): boolean {
    return this.outer?.aborted ?? false;
  }

  /** Starts the timer, again if it runs. With less than 0, the time is over. */
  start(ms: number): void {
    this.stop();
    this.#end = performance.now() + ms;
    // Node.js warns of negative delays.
    if (ms <= MAX_TIMER_MS) this.#timer = setTimeout(this.#timeOut, Math.max(0, ms));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#end = Infinity;
  }

  /**
   * Calls a function and waits for its result, or rejects once the signal aborts: what is given a signal does
   * not always heed it, and a caller's own function is given none. Once the time is over, nothing is called: the
   * timer of a busy program is late.
   */
  within<Value>(part: () => Value | Promise<Value>): Promise<Value> {
    if (performance.now() >= this.#end) this.#timeOut();
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort);
      const ended = (async () => part())().then(resolve, reject);
      ended.then(() => signal.removeEventListener('abort', abort));
    });
  }

  /** Aborts what still uses the signal, and forgets the caller's. */
  end(): void {
    this.stop();
    this.#forget?.();
    this.#abort();
  }

  readonly #abort = () => this.#controller.abort();

  readonly #timeOut = () => {
    this.isTimedOut = true;
    this.#abort();
  };
}

/** Calls a function with a limit of so many milliseconds, which ends with it. */
export async function limited<Result>(
  signal: AbortSignal | undefined,
  ms: number,
  use: (limit: Limit) => Promise<Result>,
): Promise<Result> {
  const limit = new Limit(signal);
  try {
    limit.start(ms);
    return await use(limit);
  } finally {
    limit.end();
  }
}

/** Waits for so many milliseconds, 24 days at most, or until the signal aborts: for what never ends, within a limit. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const endless = (limit: Limit) => limit.within(() => new Promise<void>(() => undefined));
  return limited(signal, Math.min(ms, MAX_TIMER_MS), endless).catch(() => undefined);
}
