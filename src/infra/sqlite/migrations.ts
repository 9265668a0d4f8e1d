/** Migrates the schema of a store in SQLite. */

import type Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { refuseNewerSchema } from '../checking/stored-check.ts';
import { type Column, checksumOf, type DOMAINS } from '../events/checksums.ts';
import { markCopy } from './epochs-table.ts';
import { readHeadOf } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, WITH_EPOCHS, WITH_TREE } from './schema.ts';
import { lockForServer } from './start/server-lock.ts';

/**
 * Migrates the schema to the newest version, and returns the version that it had. Throws {@link
 * UserError} for an older store with a server on it, which could not be started again.
 */
export function migrate(db: Database.Database, file: string): number {
  const from = schemaVersion(db);
  if (from === SCHEMA_VERSION) return from;
  const unlock = from === 0 ? () => {} : lockForServer(file);
  try {
    return migrateLocked(db, file);
  } finally {
    unlock();
  }
}

/** As {@link migrate}, for a caller that has locked the file as a server does. */
export function migrateLocked(db: Database.Database, file: string): number {
  return db.transaction(() => migrateOpen(db, file)).immediate();
}

// The version is read again under the write lock: two processes may create the file at once.
function migrateOpen(db: Database.Database, file: string): number {
  refuseForeignFile(db, file);
  const from = schemaVersion(db);
  registerChecksums(db);
  for (const migration of MIGRATIONS.slice(from)) db.exec(migration);
  // Only this migration and appends add to the tree (docs/adr/0019).
  if (from < WITH_TREE) new MerkleTables(db).create();
  if (from < WITH_EPOCHS && mayBeCopy(file, db)) markCopy(db, 'backup');
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
  return from;
}

/** Registers the SQL function for checksums, which the migration that introduces them calls. */
export function registerChecksums(db: Database.Database): void {
  const options = { varargs: true, deterministic: true, safeIntegers: true };
  db.function('checksum_of', options, (table, ...columns) => {
    return checksumOf(table as keyof typeof DOMAINS, columns as Column[]);
  });
}

// Backups made by older versions are not marked. A store that was served has its head beside it.
function mayBeCopy(file: string, db: Database.Database): boolean {
  const hasEvents = db.prepare('SELECT EXISTS (SELECT 1 FROM events)').pluck().get() === 1;
  return hasEvents && readHeadOf(file) === undefined;
}

function schemaVersion(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/**
 * Returns the version of a file's schema; 0 if there is none yet. Throws {@link UserError} for
 * the file of another program, before the first write, so that it stays unchanged. Reads in one
 * transaction, because another process may be creating the file.
 */
export function refuseForeignFile(
  db: Database.Database,
  file: string,
  own = { id: APPLICATION_ID, newest: SCHEMA_VERSION },
): number {
  const read = db.transaction(() => ({
    applicationId: db.pragma('application_id', { simple: true }),
    tables: db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
    version: schemaVersion(db),
  }));
  const { applicationId, tables, version } = read();
  if (applicationId !== own.id && (tables !== 0 || applicationId !== 0 || version !== 0)) {
    throw new UserError(`${file} is a database of another program. Nothing was changed.`);
  }
  refuseNewerSchema(file, version, own.newest);
  return version;
}
