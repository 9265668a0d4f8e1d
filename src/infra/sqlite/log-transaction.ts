import type Database from 'better-sqlite3';
import type { RecordedEvent } from '../../app/log/recorded-event.ts';
import { encode, type StoredEvent } from '../events/codec.ts';
import { EventRows } from './event-rows.ts';
import type { MerkleTables } from './merkle-tables.ts';
import { isFailedFlush } from './storage/fault.ts';
import { StoredEvents } from './stored-events.ts';
import type { Wal } from './wal/wal.ts';

/** The transaction of an append. It holds the file's write lock from its first statement. */
export class LogTransaction {
  readonly #db: Database.Database;
  readonly #tree: MerkleTables;
  readonly #wal: Wal | undefined;
  readonly #rows: EventRows;
  /** Prepared once: parsing takes 5 µs a batch. */
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;

  /** @param wal Proves that a failed commit is undone; without it, its outcome stays unknown. */
  constructor(db: Database.Database, tree: MerkleTables, wal: Wal | undefined) {
    this.#db = db;
    this.#tree = tree;
    this.#wal = wal;
    this.#rows = new EventRows(db);
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
  }

  begin(): void {
    this.#begin.run();
  }

  /** Adds events and their leaves. `recorded` contains the same events as `stored`. */
  insert(stored: readonly StoredEvent[], recorded: readonly RecordedEvent[]): void {
    this.#rows.insert(stored, recorded);
    this.#tree.append(stored);
  }

  commit(): void {
    this.#commit.run();
  }

  /** Rolls back, unless SQLite has done so by itself, as after some errors (a full disk). */
  rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }

  /**
   * Returns true if it is certain that a transaction whose commit failed is not recorded and never
   * will be: see docs/adr/0022.
   * @param head The head before the transaction.
   * @param events The events of the transaction.
   */
  isUndone(error: unknown, head: number, events: readonly RecordedEvent[]): boolean {
    if (this.#wal === undefined || isFailedFlush(error)) return false;
    try {
      this.rollBack();
      this.begin();
      const [stored] = new StoredEvents(this.#db).read(head, 1);
      const [first] = events;
      if (first !== undefined && stored?.metadata === encode(first).metadata) return false;
      this.#wal.bury();
      return true;
    } catch {
      return false;
    } finally {
      this.rollBack();
    }
  }
}
