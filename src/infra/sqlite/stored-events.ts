/** Reads events from the table as they are stored: for the log, its tree, and folds. */

import type Database from 'better-sqlite3';
import type { StoredFields } from '../../app/log/recorded-event.ts';
import type { FoldSource } from '../../app/ports/event-log.ts';
import { fast } from '../events/fast-path.ts';
import { decodedFoldSource } from '../events/fold-source.ts';
import { type EventRow, eventsIn } from '../events/row-mapping.ts';
import type { SideReader } from './side-reader.ts';
import { orUnavailable } from './storage/fault.ts';

/** The stored events of a log, read by a statement that is prepared once. */
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

  /**
   * Returns the first events after a position. Throws {@link UnreadableEvent} if one is missing.
   */
  read(after: number, limit: number): StoredFields[] {
    return eventsIn(this.#select.all(after, limit) as EventRow[], after);
  }
}

/**
 * Returns the source from which a store's events are folded: natively where that is possible.
 * @param aside Prepares a statement in another thread, for long reads; absent: all are in this one.
 * @param afterChunks The number of chunks in a row that make a read long; absent: the usual one.
 */
export function foldSourceIn(
  db: Database.Database,
  aside?: (sql: string) => SideReader,
  afterChunks?: number,
): FoldSource {
  const stored = new StoredEvents(db);
  const guarded = <Value>(read: () => Value) => orUnavailable(db, read);
  const decoded = decodedFoldSource((after, limit) => guarded(() => stored.read(after, limit)));
  return fast?.sqliteFoldSource(db, decoded, guarded, aside, afterChunks) ?? decoded;
}
