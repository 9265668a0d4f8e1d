import type { EventLogReader } from '../ports/event-log.ts';
import type { EventPage, History } from './history.ts';

/** Events a turn: so many at most are held in memory for one who takes them slowly. */
const TURN = 100;
/** How many may follow the log at once: each reads it for itself. */
const MOST_FOLLOWERS = 100;

/** Lets many follow the log as it grows. */
export class Tail {
  readonly #history: History;
  readonly #followers = new Set<Follower>();
  readonly #unwatch: () => void;
  #isClosed = false;

  constructor(log: EventLogReader, history: History) {
    this.#history = history;
    this.#unwatch = log.watch(() => {
      for (const follower of this.#followers) follower.wake();
    });
  }

  /** One more who follows the log, to be told when to leave; `undefined` where there are too many. */
  follow(): Follower | undefined {
    if (this.#followers.size >= MOST_FOLLOWERS) return undefined;
    const follower = new Follower(this.#history);
    this.#followers.add(follower);
    follower.left.addEventListener('abort', () => this.#followers.delete(follower));
    if (this.#isClosed) follower.leave();
    return follower;
  }

  /** Lets everybody leave. */
  close(): void {
    this.#isClosed = true;
    this.#unwatch();
    for (const follower of this.#followers) follower.leave();
  }
}

/** Reads the log up to its head, and on as it grows, until it leaves. */
export class Follower {
  readonly #history: History;
  readonly #end = new AbortController();
  #mayHaveGrown = false;
  #resume: () => void = () => {};

  constructor(history: History) {
    this.#history = history;
  }

  /** Aborted when it has left. */
  get left(): AbortSignal {
    return this.#end.signal;
  }

  /** Everything after a position, in pages without a gap and without an overlap. */
  async *pages(after: number, type?: string): AsyncIterable<EventPage> {
    let seen = after;
    while (!this.left.aborted) {
      // What is appended from here on is read, or told of by the next call of `wake`.
      this.#mayHaveGrown = false;
      const page = await this.#history.page(seen, TURN, type);
      if (page.end === seen) await this.#grown();
      else if (!this.left.aborted) yield page;
      seen = page.end;
    }
  }

  /** The log may have grown. */
  wake(): void {
    this.#mayHaveGrown = true;
    this.#resume();
  }

  /** Ends it: there will be no more pages. */
  leave(): void {
    this.#end.abort();
    this.wake();
  }

  async #grown(): Promise<void> {
    if (this.#mayHaveGrown) return;
    await new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
  }
}
