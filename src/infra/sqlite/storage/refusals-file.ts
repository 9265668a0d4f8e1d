/** The file of refusals beside a store in SQLite: its schema, and what others have made of it. */

import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { MAX_REFUSALS } from '../../../app/ports/refusal-trail.ts';
import { type Definition, differences } from '../../checking/stored-check.ts';
import { giveToStoreOwner } from '../../process/store-owner.ts';
import { noGapsIn } from '../guards.ts';
import { cannotOpen } from '../store-file.ts';

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
 * Returns what others have made of the schema of a file of refusals, each as a clause. A trigger of theirs
 * could keep refusals out. Names are compared, because earlier versions had other texts.
 */
export function flawsInRefusals(db: Database.Database): readonly string[] {
  const model = new Database(':memory:');
  try {
    model.exec(schema(MAX_REFUSALS));
    return differences(namesIn(model), namesIn(db));
  } finally {
    model.close();
  }
}

// With another application id, no process opens the file to record refusals.
function namesIn(db: Database.Database): Definition[] {
  const rows = db.prepare(
    `SELECT type || ' ' || name, NULL FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat_'
     UNION ALL SELECT 'application id', CAST(application_id AS TEXT) FROM pragma_application_id`,
  );
  return rows.raw().all() as Definition[];
}

/** Returns true for a file in which a process that has just made it has not committed its table yet. */
export function isBegunOnly(db: Database.Database): boolean {
  return (
    db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0 &&
    db.pragma('application_id', { simple: true }) === 0
  );
}

/** Returns the name of the file of refusals beside a store's. */
export function refusalsFileOf(file: string): string {
  return `${file}-refusals`;
}

/** Opens the file of refusals, and makes it if it is not there. Throws {@link UserError} if that fails. */
export function openRefusals(file: string, maxRecords: number): Database.Database {
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
    if (isBegunOnly(db)) db.exec(schema(maxRecords));
    if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
      throw new UserError(`${file} is a database of another program. Nothing was changed.`);
    }
  }).immediate();
}
