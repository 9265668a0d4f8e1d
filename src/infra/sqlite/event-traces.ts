/** The traces of events in SQLite: beside the log, and in no proof. */

import type Database from 'better-sqlite3';

/** The `traceparent`s of the requests that led to events. */
export class EventTraces {
  readonly #select: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(db: Database.Database) {
    this.#select = db
      .prepare(
        `SELECT position, traceparent FROM event_traces
           WHERE position IN (SELECT value FROM json_each(?))`,
      )
      .raw();
    this.#insert = db.prepare('INSERT INTO event_traces VALUES (?, ?)');
  }

  /** Returns the traces of the events at these positions, by position. */
  read(positions: readonly number[]): ReadonlyMap<number, string> {
    return new Map(this.#select.all(JSON.stringify(positions)) as [number, string][]);
  }

  /** Adds one, in the transaction that is open. A trigger ignores it where the position has one. */
  add(position: number, traceparent: string): void {
    this.#insert.run(position, traceparent);
  }
}
