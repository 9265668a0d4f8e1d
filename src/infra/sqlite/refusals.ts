import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import {
  MAX_REFUSALS,
  type RecordedRefusal,
  type RefusalRecord,
  type RefusalTrail,
} from '../../app/ports/refusal-trail.ts';
import { decodeRefusal, encodeRefusal } from '../events/refusal-codec.ts';
import { giveToStoreOwner } from '../process/store-owner.ts';
import { noGapsIn } from './guards.ts';
import { orUnavailable } from './storage/fault.ts';
import { cannotOpen } from './store-file.ts';

/** "STOR" plus 1: the application id that distinguishes this file from a store. */
const APPLICATION_ID = 0x53544f53;

const schema = (maxRecords: number) => `
  CREATE TABLE refusals (
    position INTEGER PRIMARY KEY,
    record   TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER refusals_are_never_updated BEFORE UPDATE ON refusals
  BEGIN SELECT RAISE(ABORT, 'refusals are append-only: no UPDATE'); END;

  CREATE TRIGGER only_the_oldest_are_deleted BEFORE DELETE ON refusals
  WHEN OLD.position > (SELECT max(position) FROM refusals) - ${maxRecords}
  BEGIN SELECT RAISE(ABORT, 'refusals are append-only: only the oldest of too many go'); END;

${noGapsIn('refusals', 'position', 'refusals are append-only: the position is not the next')}

  PRAGMA application_id = ${APPLICATION_ID};
`;

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
    this.#file = `${file}-refusals`;
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
    const db = this.#open();
    const rows = orUnavailable(
      db,
      () =>
        db
          .prepare('SELECT position, record FROM refusals ORDER BY position DESC LIMIT ?')
          .raw()
          .all(limit) as [number, string][],
    );
    return rows
      .reverse()
      .map(([position, text]) => ({ position, record: decodeRefusal(position, text) }));
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  #open(): Database.Database {
    this.#opened ??= open(this.#file, this.#maxRecords);
    return this.#opened;
  }
}

function open(file: string, maxRecords: number): Database.Database {
  const isNew = !existsSync(file);
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    // Before SQLite makes files beside it, which get its owner.
    if (isNew) giveToStoreOwner(file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    prepare(db, file, maxRecords);
    return db;
  } catch (error) {
    db?.close();
    throw cannotOpen(error, file);
  }
}

// Under the write lock: the service and a command beside it may create the file at once.
function prepare(db: Database.Database, file: string, maxRecords: number): void {
  db.transaction(() => {
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
    if (tables === 0) db.exec(schema(maxRecords));
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
      throw new UserError(`${file} is a database of another program. Nothing was changed.`);
    }
  }).immediate();
}
