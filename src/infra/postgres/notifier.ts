import type { Queryable, Statement } from './connection/connection.ts';
import { CHANNEL } from './schema.ts';

/** The shortest interval between two writes that notify, in milliseconds. */
const NOTIFY_INTERVAL_MS = 50;
/** The longest wait of a recorded write for a later one that notifies, in milliseconds. */
const NOTIFY_WAIT_MS = 70;

const NOTIFY: Statement = { name: 'notify', text: `SELECT pg_notify('${CHANNEL}', '')` };

/**
 * Decides when other instances are notified that the log has grown. A notification wakes a process
 * of the server for each listening instance, which takes as long as recording some events. Writes
 * therefore notify at a limited rate; after the last writes of a burst, one notification is sent
 * alone.
 */
export class Notifier {
  readonly #db: Queryable;
  #last = Number.NEGATIVE_INFINITY;
  #owed: NodeJS.Timeout | undefined;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Returns true if the write that is about to be sent has to notify, and counts it as sent. */
  isDue(): boolean {
    const now = performance.now();
    if (now - this.#last < NOTIFY_INTERVAL_MS) return false;
    this.#last = now;
    return true;
  }

  /** Notes that a write was recorded. */
  written(hasNotified: boolean): void {
    if (hasNotified) this.#clear();
    else this.#owed ??= setTimeout(() => this.#notify(), NOTIFY_WAIT_MS).unref();
  }

  /** Sends the notification that is still due, if any. */
  async close(): Promise<void> {
    if (this.#owed !== undefined) await this.#notify();
  }

  async #notify(): Promise<void> {
    this.#clear();
    // A failure is ignored: listening instances also poll the head.
    await this.#db.query(NOTIFY).catch(() => undefined);
  }

  #clear(): void {
    clearTimeout(this.#owed);
    this.#owed = undefined;
  }
}
