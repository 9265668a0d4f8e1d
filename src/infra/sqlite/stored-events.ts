import type Database from 'better-sqlite3';
import type { StoredEvent } from '../event-codec.ts';
import { type EventRow, eventsIn } from '../rows.ts';

/** Reads events from the table as they are stored: for the log, and for its tree. */
export class StoredEvents {
  readonly #select: Database.Statement;

  constructor(db: Database.Database) {
    this.#select = db
      .prepare(
        `SELECT position, version, type, schema_version, data, metadata
           FROM events WHERE position > ? ORDER BY position LIMIT ?`,
      )
      .raw();
  }

  /** The first events after a position. Throws {@link UnreadableEvent} where one is missing. */
  read(after: number, limit: number): StoredEvent[] {
    return eventsIn(this.#select.all(after, limit) as EventRow[], after);
  }
}
