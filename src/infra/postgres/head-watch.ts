import type pg from 'pg';
import type { Database } from './connection/database.ts';
import { CHANNEL } from './schema.ts';

/** The interval at which the head is read while notifications arrive. */
const POLL_INTERVAL_MS = 1_000;
/** The interval while there are no notifications. */
const UNNOTIFIED_POLL_INTERVAL_MS = 100;
/** The delay by which notifications are debounced. */
const DEBOUNCE_MS = 20;
/** A value that differs from the head of every log. */
const UNSEEN_HEAD = -1;

/**
 * Calls watchers when the log has grown: on a notification to a listening connection, and after a
 * poll of the head, because notifications can get lost.
 */
export class HeadWatch {
  readonly #db: Database;
  readonly #readHead: () => Promise<number>;
  readonly #looked: (error: Error | undefined) => void;
  readonly #heard: (cause: Error | undefined) => void;
  readonly #watchers = new Set<() => void>();
  #listener: pg.Client | undefined;
  #isListening = false;
  /** The reason why it does not listen. */
  #unheard: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #debouncing: NodeJS.Timeout | undefined;
  #seen = UNSEEN_HEAD;
  #isClosed = false;

  /**
   * @param looked Called after each poll, with its error if it failed.
   * @param heard Called after each poll that succeeds, with the reason if it does not listen.
   */
  constructor(
    db: Database,
    readHead: () => Promise<number>,
    looked: (error: Error | undefined) => void = () => {},
    heard: (cause: Error | undefined) => void = () => {},
  ) {
    this.#db = db;
    this.#readHead = readHead;
    this.#looked = looked;
    this.#heard = heard;
  }

  /** See {@link EventLog.watch}. */
  watch(grown: () => void): () => void {
    // A new function each time, so that a watcher that is added twice is called twice.
    const watcher = () => grown();
    this.#watchers.add(watcher);
    // Forces a call: the newest events may be new to this watcher.
    this.#seen = UNSEEN_HEAD;
    this.begin();
    return () => this.#watchers.delete(watcher);
  }

  /** Polls from now on, even without a watcher, to detect an outage and its end. */
  begin(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => this.#tick(), 0);
    this.#timer.unref();
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#debouncing);
    this.#watchers.clear();
    await this.#listener?.end().catch(() => undefined);
  }

  async #tick(): Promise<void> {
    // In this order: the poll detects events that were appended before the connection listened.
    if (!this.#isListening) await this.#listen();
    await this.#poll();
    if (this.#isClosed) return;
    this.#timer = setTimeout(
      () => this.#tick(),
      this.#isListening ? POLL_INTERVAL_MS : UNNOTIFIED_POLL_INTERVAL_MS,
    );
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    try {
      const head = await this.#readHead();
      if (head !== this.#seen) this.#callWatchers();
      this.#seen = head;
      this.#looked(undefined);
      this.#heard(this.#isListening ? undefined : this.#unheard);
    } catch (error) {
      // The poll is repeated.
      this.#looked(error as Error);
    }
  }

  async #listen(): Promise<void> {
    let made: pg.Client | undefined;
    try {
      const listener = await this.#db.listener((client) => {
        const ended = (cause?: Error) => {
          // One on a way that has failed may end when the next listens.
          if (this.#listener !== client) return;
          this.#isListening = false;
          this.#unheard = cause ?? new Error('the connection that listens has ended');
        };
        made = client;
        this.#listener = client;
        client.on('error', ended);
        client.on('end', ended);
        client.on('notification', () => this.#debounce());
      });
      await listener.query(`LISTEN ${CHANNEL}`);
      this.#isListening = !this.#isClosed;
    } catch (error) {
      await made?.end().catch(() => undefined);
      this.#unheard = error as Error;
    }
    if (this.#isClosed) await made?.end().catch(() => undefined);
  }

  // Under load there are hundreds a second, and each makes every watcher read the head.
  #debounce(): void {
    this.#debouncing ??= setTimeout(() => {
      this.#debouncing = undefined;
      this.#callWatchers();
    }, DEBOUNCE_MS).unref();
  }

  #callWatchers(): void {
    for (const grown of this.#watchers) grown();
  }
}
