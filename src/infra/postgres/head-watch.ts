import type pg from 'pg';
import type { Database } from './database.ts';
import { CHANNEL } from './schema.ts';

/** How often the head is looked at, in milliseconds: while notifications come, and while not. */
const LOOK_EVERY = 1_000;
const LOOK_OFTEN = 100;
/** For how long, in milliseconds, further notifications are gathered before anybody is told. */
const GATHER = 20;
/** No head that a log can have. */
const UNSEEN = -1;

/**
 * Tells those who watch that the log has grown: the server notifies a connection that listens, and
 * now and then the head is looked at, because a notification is a hint that may get lost.
 */
export class HeadWatch {
  readonly #db: Database;
  readonly #look: () => Promise<number>;
  readonly #watchers = new Set<() => void>();
  #listener: pg.Client | undefined;
  #isListening = false;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #seen = UNSEEN;
  #isClosed = false;

  /** @param look Tells the head. */
  constructor(db: Database, look: () => Promise<number>) {
    this.#db = db;
    this.#look = look;
  }

  /** See {@link EventLog.watch}. */
  watch(grown: () => void): () => void {
    // One that is added twice is to be called twice.
    const watcher = () => grown();
    this.#watchers.add(watcher);
    // What was appended a moment ago is new to this one.
    this.#seen = UNSEEN;
    this.begin();
    return () => this.#watchers.delete(watcher);
  }

  /** Looks from now on, whether or not anybody watches: so an outage is noticed, and its end. */
  begin(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#tick(), 0);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#gathering);
    this.#watchers.clear();
    await this.#listener?.end().catch(() => undefined);
  }

  async #tick(): Promise<void> {
    // In this order: what is appended before the one is seen by the other.
    if (!this.#isListening) await this.#listen();
    await this.#lookAtHead();
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#tick(), this.#isListening ? LOOK_EVERY : LOOK_OFTEN);
    this.#timer.unref();
  }

  async #lookAtHead(): Promise<void> {
    try {
      const head = await this.#look();
      if (head !== this.#seen) this.#tell();
      this.#seen = head;
    } catch {
      // Whoever reads is told of it. This one tries again.
    }
  }

  async #listen(): Promise<void> {
    const listener = this.#db.listener();
    const ended = () => {
      this.#isListening = false;
    };
    listener.on('error', ended);
    listener.on('end', ended);
    listener.on('notification', () => this.#gather());
    this.#listener = listener;
    try {
      await listener.connect();
      await listener.query(`LISTEN ${CHANNEL}`);
      this.#isListening = !this.#isClosed;
    } catch {
      await listener.end().catch(() => undefined);
    }
    if (this.#isClosed) await listener.end().catch(() => undefined);
  }

  // Under load there are hundreds a second, and each would have the head looked at.
  #gather(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#tell();
    }, GATHER).unref();
  }

  #tell(): void {
    for (const grown of this.#watchers) grown();
  }
}
