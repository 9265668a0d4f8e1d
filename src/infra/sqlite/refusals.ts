import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import {
  MAX_REFUSALS,
  type RecordedRefusal,
  type RefusalRecord,
  type RefusalTrail,
} from '../../app/ports/refusal-trail.ts';
import { decodeRefusal, encodeRefusal } from '../events/refusal-codec.ts';
import { orUnavailable } from './storage/fault.ts';
import { openRefusals, refusalsFileOf } from './storage/refusals-file.ts';
import { named } from './store-file.ts';

/**
 * The trail of refusals in a SQLite file beside the store, so that a flood of refusals takes
 * neither the log's lock nor its space. The file is created for the first refusal. Commits outlive
 * the process but do not wait for the disk: a power cut may take the last of them, but leaves no gap.
 */
export class SqliteRefusals implements RefusalTrail {
  readonly #file: string;
  readonly #maxRecords: number;
  #opened: Database.Database | undefined;

  /**
   * @param file The store's file.
   * @param maxRecords The number of newest records that are stored.
   */
  constructor(file: string, maxRecords = MAX_REFUSALS) {
    this.#file = refusalsFileOf(file);
    this.#maxRecords = maxRecords;
  }

  async append(records: readonly RefusalRecord[]): Promise<void> {
    try {
      this.#insert(records);
    } catch (error) {
      // A file that could not be opened for writing was opened for reading: the next call tries again.
      this.close();
      throw error;
    }
  }

  #insert(records: readonly RefusalRecord[]): void {
    const db = this.#open();
    const insert = db.prepare(
      'INSERT INTO refusals SELECT coalesce(max(position), 0) + 1, ? FROM refusals',
    );
    const trim = db.prepare(
      'DELETE FROM refusals WHERE position <= (SELECT max(position) FROM refusals) - ?',
    );
    db.transaction(() => {
      for (const record of records) insert.run(encodeRefusal(record));
      trim.run(this.#maxRecords);
    }).immediate();
  }

  async newest(limit: number): Promise<readonly RecordedRefusal[]> {
    if (this.#opened === undefined && !existsSync(this.#file)) return [];
    const rows = newestIn(this.#open(), limit);
    return rows
      .reverse()
      .map(([position, text]) => ({ position, record: decodeRefusal(position, text) }));
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  #open(): Database.Database {
    this.#opened ??= openRefusals(this.#file, this.#maxRecords);
    return this.#opened;
  }
}

/** Returns the newest rows, newest first. Throws an error that names this file, and not the store's. */
function newestIn(db: Database.Database, limit: number): [number, string][] {
  const select = 'SELECT position, record FROM refusals ORDER BY position DESC LIMIT ?';
  const read = () => db.prepare(select).raw().all(limit) as [number, string][];
  return named(db.name, () => orUnavailable(db, read));
}
