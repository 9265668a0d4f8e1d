import type Database from 'better-sqlite3';
import type { RecordedEvent } from '../../app/log/recorded-event.ts';
import type { StoredEvent } from '../events/codec.ts';

/** The maximum of a statement: inserting many rows at once takes less time than one by one. */
const MAX_ROWS = 32;
/** The placeholders of one row's columns. */
const ROW = '(?, ?, ?, ?, ?, ?, ?)';

/** Inserts events into the log's table, inside the transaction that the log has begun. */
export class EventRows {
  readonly #db: Database.Database;
  /** The statements by their number of rows, each prepared at its first use. */
  readonly #inserts = new Map<number, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Inserts stored events; `recorded` contains the same events in the same order. */
  insert(stored: readonly StoredEvent[], recorded: readonly RecordedEvent[]): void {
    const rows = stored.map((event, index) => rowOf(event, recorded[index] as RecordedEvent));
    for (let from = 0; from < rows.length; from += MAX_ROWS) {
      const some = rows.slice(from, from + MAX_ROWS);
      this.#insertOf(some.length).run(([] as unknown[]).concat(...some));
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

function rowOf(stored: StoredEvent, { event }: RecordedEvent): unknown[] {
  const { position, version, type, schemaVersion, data, metadata } = stored;
  return [position, event.orderId, version, type, schemaVersion, data, metadata];
}
