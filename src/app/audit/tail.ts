import { nextTurn } from '../event-loop.ts';
import type { EventLogReader } from '../ports/event-log.ts';
import type { EventPage, History } from './history.ts';

/** Events a turn: so many at most are held in memory for one who takes them slowly. */
const TURN = 100;
/** How many may follow the log at once. */
const MOST_FOLLOWERS = 100;
/** How many pages are kept for those who come to them a little later. */
const MOST_PAGES = 50;

/** Lets many follow the log as it grows. */
export class Tail {
  readonly #history: History;
  readonly #followers = new Set<Follower>();
  readonly #pages = new Map<string, EventPage>();
  readonly #unwatch: () => void;
  #turn: Promise<void> = Promise.resolve();
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
    const follower = new Follower((after, type) => this.#read(after, type));
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

  /**
   * What comes after a position: one page a turn of the event loop, however many ask, so that
   * nobody else has to wait for more than one. Most followers are at the head, where one reads for
   * all: what was read once stays as it is, also where it is less than there would be by now.
   */
  async #read(after: number, type?: string): Promise<EventPage> {
    this.#turn = this.#turn.then(nextTurn);
    await this.#turn;
    const name = `${after} ${type}`;
    const known = this.#pages.get(name);
    if (known !== undefined) return known;
    // To a round number, so that those who come from different places soon ask for the same pages.
    const page = await this.#history.page(after, TURN - (after % TURN), type);
    if (page.end > after) this.#keep(name, page);
    return page;
  }

  #keep(name: string, page: EventPage): void {
    // A Map tells its keys in the order in which they came.
    const [oldest] = this.#pages.keys();
    if (this.#pages.size >= MOST_PAGES) this.#pages.delete(oldest as string);
    this.#pages.set(name, page);
  }
}

/** Reads the log up to its head, and on as it grows, until it leaves. */
export class Follower {
  readonly #read: (after: number, type?: string) => Promise<EventPage>;
  readonly #end = new AbortController();
  #mayHaveGrown = false;
  #resume: () => void = () => {};

  /** @param read What comes after a position: nothing where the log ends there. */
  constructor(read: (after: number, type?: string) => Promise<EventPage>) {
    this.#read = read;
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
      const page = await this.#read(seen, type);
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
