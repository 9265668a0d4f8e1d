/** The tail of the log: events as they are recorded, for many followers at once. */

import { Turns } from '../../event-loop.ts';
import type { EventLogReader } from '../../ports/event-log.ts';
import type { EventFilter, EventRun, History } from './history.ts';

/** The most events in one run, which bounds the memory of a slow follower. */
const RUN_EVENTS = 100;
/** The most runs cached for followers that are slightly behind. */
const MAX_CACHED_RUNS = 50;

export class Tail {
  readonly #history: History;
  readonly #maxFollowers: number;
  readonly #followers = new Set<Follower>();
  readonly #runs = new Map<string, EventRun>();
  readonly #unwatch: () => void;
  readonly #turns = new Turns();
  #isClosed = false;

  /** @param maxFollowers The most followers at once. */
  constructor(log: EventLogReader, history: History, maxFollowers: number) {
    this.#history = history;
    this.#maxFollowers = maxFollowers;
    this.#unwatch = log.watch(() => {
      for (const follower of this.#followers) follower.wake();
    });
  }

  /** The number of followers. */
  get followers(): number {
    return this.#followers.size;
  }

  /**
   * Returns a new follower, which must leave when it is done; `undefined` if there are too many.
   */
  follow(): Follower | undefined {
    if (this.#followers.size >= this.#maxFollowers) return undefined;
    const follower = new Follower((after, filter) => this.#read(after, filter));
    this.#followers.add(follower);
    follower.left.addEventListener('abort', () => this.#followers.delete(follower));
    if (this.#isClosed) follower.leave();
    return follower;
  }

  /** Makes all followers leave, and later ones at once. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    for (const follower of this.#followers) follower.leave();
  }

  /**
   * Returns the events after a position: one run in each turn of the event loop, for all followers
   * together, so that other work waits for at most one run. Most followers are at the head and
   * share one read: a run that was read stays as it is, even if it could be longer by now.
   */
  async #read(after: number, filter: EventFilter): Promise<EventRun> {
    await this.#turns.next();
    const name = `${after} ${filter.type} ${filter.commandId}`;
    const known = this.#runs.get(name);
    if (known !== undefined) return known;
    // Runs end at multiples of their length, so that followers soon share them wherever they began.
    const run = await this.#history.run(after, RUN_EVENTS - (after % RUN_EVENTS), filter);
    if (run.end > after) this.#cache(name, run);
    return run;
  }

  #cache(name: string, run: EventRun): void {
    // A Map iterates over its keys in the order of insertion.
    const [oldest] = this.#runs.keys();
    if (this.#runs.size >= MAX_CACHED_RUNS) this.#runs.delete(oldest as string);
    this.#runs.set(name, run);
  }
}

/** Reads the log up to its head, and on as it grows, until it leaves. */
export class Follower {
  readonly #read: (after: number, filter: EventFilter) => Promise<EventRun>;
  readonly #end = new AbortController();
  /** Resolves when the log may have grown since the last read began. */
  #grown = Promise.withResolvers<void>();

  /** @param read Returns the events after a position; none if the log ends there. */
  constructor(read: (after: number, filter: EventFilter) => Promise<EventRun>) {
    this.#read = read;
  }

  /** Aborted when the follower has left. */
  get left(): AbortSignal {
    return this.#end.signal;
  }

  /** Yields all events after a position that match, in consecutive runs. */
  async *runs(after: number, filter: EventFilter = {}): AsyncIterable<EventRun> {
    let seen = after;
    while (!this.left.aborted) {
      // An event appended from here on is either read, or announced by the next call of `wake`.
      this.#grown = Promise.withResolvers();
      const run = await this.#read(seen, filter);
      if (run.end === seen) await this.#grown.promise;
      else if (!this.left.aborted) yield run;
      seen = run.end;
    }
  }

  /** Notes that the log may have grown. */
  wake(): void {
    this.#grown.resolve();
  }

  /** Ends the iteration. */
  leave(): void {
    this.#end.abort();
    this.wake();
  }
}
