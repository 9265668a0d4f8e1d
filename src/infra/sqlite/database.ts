/** Opens the file of a store, and creates the store if it does not exist. */

import { type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { asUserError, UserError } from '../../app/lifecycle/user-error.ts';
import type { IfAbsent } from '../../app/ports/store.ts';
import { orUnwhole } from '../checking/stored-check.ts';
import { makeFolder } from '../process/make-folder.ts';
import { MerkleTables } from './merkle-tables.ts';
import { migrate, migrateLocked, refuseForeignFile } from './migrations.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { guardStore } from './start/guard.ts';
import { storageHint } from './storage/fault.ts';
import { failedReadOf } from './storage/second-look.ts';
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
}

/**
 * Opens or creates a file with durable commits. Throws {@link UserError} if that fails.
 * @param guard As of {@link openDatabase}.
 */
export function openDurably(
  file: string,
  guard: (file: string) => void,
  { check, migrate }: Opening,
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
    throw cannotOpen(error, file);
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

/** Throws {@link UserError} if there is no file, or an empty one. Opens and creates nothing. */
export function requireStore(file: string): void {
  const found = statFile(file);
  if (found === undefined) throw noStore(file);
  if (found.size === 0) throw new NoStore(`${file} is empty: there is no store in it. ${CHECK}`);
}

const CHECK = 'Check DATABASE_URL.';

/** Thrown where no store is made: there is no file, or one in which a store was only begun. */
export class NoStore extends UserError {}

function noStore(file: string): NoStore {
  return new NoStore(`There is no store ${file}. ${CHECK}`);
}

/**
 * Throws {@link UserError} for anything else than a file: to open a pipe may take for ever. So for a file
 * with a second name: SQLite has a log and locks of their own for each, and events would be lost
 * (https://sqlite.org/howtocorrupt.html, section 2.5).
 */
function statFile(file: string): Stats | undefined {
  const found = stat(file);
  if (found?.isFile() && found.nlink > 1) {
    throw new UserError(
      `${file} has ${found.nlink} names (hard links), and must have one: remove the others, or copy it.`,
    );
  }
  if (found === undefined || found.isFile()) return found;
  const what = found.isDirectory() ? 'a folder' : 'no regular file';
  throw new UserError(`${file} cannot be opened: it is ${what}. ${CHECK}`);
}

function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotOpen(error, file);
  }
}

function connect(file: string, guard: (file: string) => void): Database.Database {
  statFile(file);
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

/** Returns the error to throw when a store's file cannot be opened, or not read. */
export function cannotOpen(error: unknown, file: string, verb = 'opened'): UserError {
  return asUserError(error, ({ message }) => {
    const failed = failedReadOf(error, file);
    if (failed !== undefined) return failed.message;
    const code = error instanceof Database.SqliteError ? error.code : undefined;
    if (code === 'SQLITE_NOTADB') return `${file} is not a SQLite database.`;
    const shown = code === undefined ? '' : ` (${code})`;
    return `${file} cannot be ${verb}: ${message}${shown}.${storageHint(error, file)}`;
  });
}
