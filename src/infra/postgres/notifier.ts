import type { Queryable, Statement } from './database.ts';
import { CHANNEL } from './schema.ts';

/** For how long, in milliseconds, after a write that has notified others do not. */
const EVERY = 50;
/** How long a write that has not notified waits for a later one that does, in milliseconds. */
const PATIENCE = 70;

const NOTIFY: Statement = { name: 'notify', text: `SELECT pg_notify('${CHANNEL}', '')` };

/**
 * Says when others are to be told that the log has grown. A notification wakes a process of the
 * server for each instance that listens, which takes as long as to record some events. So a write
 * carries one only where the last is a while ago; the last writes of a burst are told by themselves.
 */
export class Notifier {
  readonly #db: Queryable;
  #last = Number.NEGATIVE_INFINITY;
  #owed: NodeJS.Timeout | undefined;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Whether the write that is about to be sent is to notify. */
  isDue(): boolean {
    const now = performance.now();
    if (now - this.#last < EVERY) return false;
    this.#last = now;
    return true;
  }

  /** Takes note of a write that was recorded, and has notified or not. */
  written(hasNotified: boolean): void {
    if (hasNotified) this.#settle();
    else this.#owed ??= setTimeout(() => this.#notify(), PATIENCE).unref();
  }

  /** Tells what is still to be told. */
  async close(): Promise<void> {
    if (this.#owed !== undefined) await this.#notify();
  }

  async #notify(): Promise<void> {
    this.#settle();
    // A hint: whoever listens looks at the head now and then, too.
    await this.#db.query(NOTIFY).catch(() => undefined);
  }

  #settle(): void {
    clearTimeout(this.#owed);
    this.#owed = undefined;
  }
}
