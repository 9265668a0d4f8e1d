/** Opens the file of a store, and creates the store if it does not exist. */

import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { IfAbsent } from '../../app/ports/store.ts';
import { orUnwhole } from '../checking/stored-check.ts';
import { makeFolder } from '../process/make-folder.ts';
import { MerkleTables } from './merkle-tables.ts';
import { migrate, migrateLocked, refuseForeignFile } from './migrations.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { guardStore } from './start/guard.ts';
import { cannotOpen, noStore, requireStore, statStore } from './store-file.ts';
import { syncWal } from './wal/guard.ts';

/**
 * The oldest safe version of SQLite: before it, a WAL could be reset during a read or another
 * process's write (sqlite.org/wal.html, "WAL-reset bug").
 */
const OLDEST_SQLITE = '3.51.3';

/** The longest wait for another process's write lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Opens a store's file, migrated and with durable commits. An absent store is created, unless
 * `ifAbsent` refuses that. Throws {@link UserError} for a file that this version must not touch.
 * @param guard Checks the files before SQLite opens them, and throws if it must not.
 * @param migrated Receives the version of an older schema, once it is brought up to date.
 */
export function openDatabase(
  file: string,
  guard = guardStore,
  ifAbsent: IfAbsent = () => {},
  migrated: (from: number) => void = () => {},
): Database.Database {
  if (ifAbsent === 'refuse') requireStore(file);
  return openDurably(file, guard, {
    check: (db) => refuseOther(db, file, ifAbsent),
    migrate(db) {
      const from = migrate(db, file);
      if (from > 0 && from < SCHEMA_VERSION) migrated(from);
      if (from === 0 && ifAbsent !== 'refuse') ifAbsent(resolve(file));
    },
  });
}

/**
 * As {@link openDatabase}, for a store that is there and that the caller has locked as a server does.
 * Checks no files before.
 */
export function openLocked(file: string): Database.Database {
  requireStore(file);
  return openDurably(file, () => {}, {
    check: (db) => refuseOther(db, file, 'refuse'),
    migrate: (db) => migrateLocked(db, file),
  });
}

function refuseOther(db: Database.Database, file: string, ifAbsent: IfAbsent): void {
  const version = refuseForeignFile(db, file);
  if (version === 0 && ifAbsent === 'refuse') throw noStore(file);
}

/** The steps of an opening before the first write, and after durability is set. */
interface Opening {
  /** Throws if the file must stay unchanged. */
  readonly check: (db: Database.Database) => void;
  readonly migrate: (db: Database.Database) => void;
  /** As of {@link cannotOpen}. */
  readonly damaged?: string;
}

/**
 * Opens or creates a file with durable commits. Throws {@link UserError} if that fails.
 * @param guard As of {@link openDatabase}.
 */
export function openDurably(
  file: string,
  guard: (file: string) => void,
  { check, migrate, damaged }: Opening,
): Database.Database {
  const db = connect(file, guard);
  try {
    refuseOldSqlite(db);
    check(db);
    makeDurable(db);
    syncWal(file);
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw cannotOpen(error, file, 'opened', damaged);
  }
}

/** Throws {@link UserError} if the log of a store's file and its tree differ in size. */
export function requireWholeLog(file: string, db: Database.Database): void {
  try {
    new MerkleTables(db).wholeSize();
  } catch (error) {
    throw orUnwhole(error, file);
  }
}

function connect(file: string, guard: (file: string) => void): Database.Database {
  statStore(file);
  try {
    guard(file);
    makeFolder(dirname(file));
    return new Database(file, { timeout: LOCK_TIMEOUT_MS });
  } catch (error) {
    throw cannotOpen(error, file);
  }
}

function refuseOldSqlite(db: Database.Database): void {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string;
  if (isOlder(version)) {
    throw new UserError(`SQLite ${version} is too old: ${OLDEST_SQLITE} is needed.`);
  }
}

/** Returns true if a version of SQLite, such as "3.51.2", is older than the oldest safe one. */
export function isOlder(version: string): boolean {
  return version.localeCompare(OLDEST_SQLITE, 'en', { numeric: true }) < 0;
}

// A connection that has just switched to WAL runs synchronous=NORMAL whatever it reports: a power
// cut could take an acknowledged event. It is therefore set at every open, and read back.
function makeDurable(db: Database.Database): void {
  const mode = switchToWal(db);
  db.pragma('synchronous = FULL');
  const synchronous = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new UserError(`SQLite refuses durability: ${mode}, synchronous=${synchronous}.`);
  }
}

// While another process creates the file and switches its mode, SQLite fails at once instead of
// waiting. Taking the write lock does wait; after that, the file is in WAL mode.
function switchToWal(db: Database.Database): unknown {
  try {
    return db.pragma('journal_mode = WAL', { simple: true });
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return db.pragma('journal_mode = WAL', { simple: true });
  }
}
