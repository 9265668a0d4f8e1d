import type Database from 'better-sqlite3';
import { type RecordedEvent, type StoredFields, tracesOf } from '../../app/log/recorded-event.ts';
import { encode } from '../events/codec.ts';
import { EventTraces } from './event-traces.ts';
import type { MerkleTables } from './merkle-tables.ts';
import { isFailedFlush } from './storage/fault.ts';
import { StoredEvents } from './stored-events.ts';
import type { Wal } from './wal/wal.ts';

/** The maximum of a statement: inserting many rows at once takes less time than one by one. */
const MAX_ROWS = 32;
/** The placeholders of one row's columns. */
const ROW = '(?, ?, ?, ?, ?, ?, ?)';

/** The transaction of an append. It holds the file's write lock from its first statement. */
export class LogTransaction {
  readonly #db: Database.Database;
  readonly #tree: MerkleTables;
  readonly #wal: Wal | undefined;
  /** Prepared once: parsing takes 5 µs a batch. */
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #traces: EventTraces;
  /** The statements by their number of rows, each prepared at its first use. */
  readonly #inserts = new Map<number, Database.Statement>();

  /** @param wal Proves that a failed commit is undone; without it, its outcome stays unknown. */
  constructor(db: Database.Database, tree: MerkleTables, wal?: Wal) {
    this.#db = db;
    this.#tree = tree;
    this.#wal = wal;
    this.#begin = db.prepare('BEGIN IMMEDIATE');
    this.#commit = db.prepare('COMMIT');
    this.#traces = new EventTraces(db);
  }

  begin(): void {
    this.#begin.run();
  }

  /**
   * Adds events, their leaves and their traces. `recorded` contains the same events as `stored`.
   */
  insert(stored: readonly StoredFields[], recorded: readonly RecordedEvent[]): void {
    const rows = stored.map((event, index) => rowOf(event, recorded[index] as RecordedEvent));
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const some = rows.slice(from, from + MAX_ROWS);
      this.#insertOf(some.length).run(([] as unknown[]).concat(...some));
    }
    for (const trace of tracesOf(recorded)) this.#traces.add(...trace);
    this.#tree.append(stored);
  }

  commit(): void {
    this.#commit.run();
  }

  /** Rolls back, unless SQLite has done so by itself, as after some errors (a full disk). */
  rollBack(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
  }

  /** Commits a transaction that writes and changes nothing. */
  probe(): void {
    this.begin();
    try {
      const version = this.#db.pragma('user_version', { simple: true }) as number;
      this.#db.pragma(`user_version = ${version}`);
      this.commit();
    } finally {
      this.rollBack();
    }
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

  #insertOf(count: number): Database.Statement {
    const known = this.#inserts.get(count);
    if (known !== undefined) return known;
    const rows = Array(count).fill(ROW).join(', ');
    const insert = this.#db.prepare(`INSERT INTO events VALUES ${rows}`);
    this.#inserts.set(count, insert);
    return insert;
  }
}

function rowOf(stored: StoredFields, { event }: RecordedEvent): unknown[] {
  const { position, version, type, schemaVersion, data, metadata } = stored;
  return [position, event.orderId, version, type, schemaVersion, data, metadata];
}
