import type Database from 'better-sqlite3';
import type { RecordedEvent } from '../../app/recorded-event.ts';
import type { StoredEvent } from '../event-codec.ts';

/** Rows a statement at most: to bind many at once takes less time than one after the other. */
const ROWS = 32;
const ROW = '(?, ?, ?, ?, ?, ?, ?)';

/** Inserts events into the log's table, inside whatever transaction the log has begun. */
export class EventRows {
  readonly #db: Database.Database;
  /** By how many rows they insert; each is prepared when it is first needed. */
  readonly #inserts = new Map<number, Database.Statement>();

  constructor(db: Database.Database) {
    this.#db = db;
  }

  /** Inserts events as they are stored; `recorded` has the same, in the same order. */
  insert(stored: readonly StoredEvent[], recorded: readonly RecordedEvent[]): void {
    const rows = stored.map((event, index) => rowOf(event, recorded[index] as RecordedEvent));
    for (let from = 0; from < rows.length; from += ROWS) {
      const some = rows.slice(from, from + ROWS);
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
