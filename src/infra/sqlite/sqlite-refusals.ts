import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import {
  KEPT_REFUSALS,
  type KeptRefusal,
  type RefusalRecord,
  type RefusalTrail,
} from '../../app/ports/refusal-trail.ts';
import { decodeRefusal, encodeRefusal } from '../refusal-codec.ts';
import { inPlainWords } from './database.ts';

/** "STOR" plus 1: tells this file from a store. */
const APPLICATION_ID = 0x53544f53;

const schema = (most: number) => `
  CREATE TABLE refusals (
    position INTEGER PRIMARY KEY,
    record   TEXT NOT NULL
  ) STRICT;

  CREATE TRIGGER refusals_are_never_updated BEFORE UPDATE ON refusals
  BEGIN SELECT RAISE(ABORT, 'refusals are append-only: no UPDATE'); END;

  CREATE TRIGGER only_the_oldest_are_deleted BEFORE DELETE ON refusals
  WHEN OLD.position > (SELECT max(position) FROM refusals) - ${most}
  BEGIN SELECT RAISE(ABORT, 'refusals are append-only: only the oldest of too many go'); END;

  CREATE TRIGGER refusals_are_dense BEFORE INSERT ON refusals
  WHEN NEW.position IS NOT (SELECT coalesce(max(position), 0) + 1 FROM refusals)
  BEGIN SELECT RAISE(ABORT, 'refusals are append-only: the position is not the next'); END;

  PRAGMA application_id = ${APPLICATION_ID};
`;

/**
 * The trail of refusals in a SQLite file beside the store, so that a flood of refusals takes neither
 * the log's lock nor its space. The file is made for the first refusal. Commits outlive the process
 * but do not wait for the disk: a power cut may take the last of them, and never the order.
 */
export class SqliteRefusals implements RefusalTrail {
  readonly #file: string;
  readonly #most: number;
  #opened: Database.Database | undefined;

  /**
   * @param file The store's file.
   * @param most How many records are kept.
   */
  constructor(file: string, most = KEPT_REFUSALS) {
    this.#file = `${file}-refusals`;
    this.#most = most;
  }

  async append(records: readonly RefusalRecord[]): Promise<void> {
    const db = this.#open();
    const insert = db.prepare(
      'INSERT INTO refusals SELECT coalesce(max(position), 0) + 1, ? FROM refusals',
    );
    const trim = db.prepare(
      'DELETE FROM refusals WHERE position <= (SELECT max(position) FROM refusals) - ?',
    );
    db.transaction(() => {
      for (const record of records) insert.run(encodeRefusal(record));
      trim.run(this.#most);
    }).immediate();
  }

  async newest(limit: number): Promise<readonly KeptRefusal[]> {
    if (this.#opened === undefined && !existsSync(this.#file)) return [];
    const rows = this.#open()
      .prepare('SELECT position, record FROM refusals ORDER BY position DESC LIMIT ?')
      .raw()
      .all(limit) as [number, string][];
    return rows
      .reverse()
      .map(([position, text]) => ({ position, record: decodeRefusal(position, text) }));
  }

  close(): void {
    this.#opened?.close();
  }

  #open(): Database.Database {
    this.#opened ??= open(this.#file, this.#most);
    return this.#opened;
  }
}

function open(file: string, most: number): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    prepare(db, file, most);
    return db;
  } catch (error) {
    db?.close();
    throw inPlainWords(error, file);
  }
}

// Under the write lock: the service and a command beside it may make the file at once.
function prepare(db: Database.Database, file: string, most: number): void {
  db.transaction(() => {
    const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get();
    if (tables === 0) db.exec(schema(most));
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
      throw new CannotStart(`${file} is a database of another program. Nothing was changed.`);
    }
  }).immediate();
}
