import type Database from 'better-sqlite3';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import type { StoredEvent } from '../event-codec.ts';

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
    return (this.#select.all(after, limit) as Row[]).map((row, index) => {
      const [position, version, type, schemaVersion, data, metadata] = row;
      const due = after + 1 + index;
      if (position !== due) throw new UnreadableEvent(due, 'it is missing');
      return { position, version, type, schemaVersion, data, metadata };
    });
  }
}

type Row = [number, number, string, number, string, string];
