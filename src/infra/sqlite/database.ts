import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';
import { type Column, checksumOf, type DOMAINS } from '../checksums.ts';
import { markCopy } from './epochs-table.ts';
import { readHeadOf } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION, WITH_EPOCHS, WITH_TREE } from './schema.ts';
import { guardStore } from './start-guard.ts';
import { syncWal } from './wal-guard.ts';

/** Before 3.51.3 a WAL could be reset under a reader's feet (sqlite.org/wal.html, "WAL-reset bug"). */
const OLDEST_SQLITE = [3, 51, 3] as const;

/** How long to wait for another process's write lock, in milliseconds. */
const LOCK_TIMEOUT = 5_000;

/** What to do where there is no store yet: refuse, or make one and say so. */
export type IfAbsent = 'refuse' | ((file: string) => void);

/**
 * Opens a store's file, durable and checked, and makes one if it is not there, unless it is to be
 * refused. Throws {@link CannotStart} for a file that this version must not touch.
 * @param guard Looks at the files before SQLite does, and throws where SQLite must not.
 */
export function openDatabase(
  file: string,
  guard = guardStore,
  ifAbsent: IfAbsent = () => {},
): Database.Database {
  if (ifAbsent === 'refuse') requireStore(file);
  const db = connect(file, guard);
  try {
    refuseOldSqlite(db);
    const version = refuseForeignFile(db, file);
    if (version === 0 && ifAbsent === 'refuse') throw noStore(file);
    makeDurable(db);
    syncWal(file);
    const from = migrate(db, file);
    if (from === 0 && ifAbsent !== 'refuse') ifAbsent(resolve(file));
    return db;
  } catch (error) {
    db.close();
    throw inPlainWords(error, file);
  }
}

/** Throws {@link CannotStart} where no file can be a store. Nothing is opened or made. */
export function requireStore(file: string): void {
  const found = stat(file);
  if (found === undefined) throw noStore(file);
  if (found.isDirectory())
    throw new CannotStart(`${file} cannot be opened: it is a folder. ${CHECK}`);
  if (found.size === 0)
    throw new CannotStart(`${file} is empty: there is no store in it. ${CHECK}`);
}

const CHECK = 'Check DATABASE_URL.';

function noStore(file: string): CannotStart {
  return new CannotStart(`There is no store ${file}. ${CHECK}`);
}

function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw inPlainWords(error, file);
  }
}

/** The id that a store was given when it was created. */
export function storeIdOf(db: Database.Database): string {
  return db.prepare('SELECT id FROM store').pluck().get() as string;
}

function connect(file: string, guard: (file: string) => void): Database.Database {
  try {
    guard(file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    return new Database(file, { timeout: LOCK_TIMEOUT });
  } catch (error) {
    throw inPlainWords(error, file);
  }
}

function refuseOldSqlite(db: Database.Database): void {
  const version = db.prepare('SELECT sqlite_version()').pluck().get() as string;
  if (isOlder(version)) {
    throw new CannotStart(`SQLite ${version} is too old: ${OLDEST_SQLITE.join('.')} is needed.`);
  }
}

/** Whether a SQLite version, such as "3.51.2", is older than the oldest that can be trusted. */
export function isOlder(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, oldest] of OLDEST_SQLITE.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part < oldest;
  }
  return false;
}

// Read before the first write, so that a file of somebody else's is left exactly as it was; and in
// one transaction, so that another process which creates the same file now is seen wholly or not.
/** Returns the version of a store's schema; 0 where there is none yet. */
function refuseForeignFile(db: Database.Database, file: string): number {
  const read = db.transaction(() => ({
    applicationId: db.pragma('application_id', { simple: true }),
    tables: db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
    version: schemaVersion(db),
  }));
  const { applicationId, tables, version } = read();
  if (applicationId !== APPLICATION_ID && (tables !== 0 || applicationId !== 0 || version !== 0)) {
    throw new CannotStart(`${file} is a database of another program. Nothing was changed.`);
  }
  if (version > SCHEMA_VERSION) {
    throw new CannotStart(
      `${file} has schema ${version}, and this version knows up to ${SCHEMA_VERSION}: ` +
        'start a newer version of store-orders. Nothing was changed.',
    );
  }
  return version;
}

// A connection that has just switched to WAL runs synchronous=NORMAL whatever it reports: an
// acknowledged event could be lost with the power. So it is set on every open, and read back.
function makeDurable(db: Database.Database): void {
  const mode = switchToWal(db);
  db.pragma('synchronous = FULL');
  const synchronous = db.pragma('synchronous', { simple: true });
  if (mode !== 'wal' || synchronous !== 2) {
    throw new CannotStart(`SQLite refuses durability: ${mode}, synchronous=${synchronous}.`);
  }
}

// Where another process is creating the same file, SQLite does not wait for it to finish switching
// but fails at once. Taking the write lock does wait; after that, the file is in WAL mode.
function switchToWal(db: Database.Database): unknown {
  try {
    return db.pragma('journal_mode = WAL', { simple: true });
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_BUSY') throw error;
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return db.pragma('journal_mode = WAL', { simple: true });
  }
}

// Under the write lock, and looking again inside it: two processes may create the file at once.
/** Brings the schema up to date, and returns the version that it had. */
function migrate(db: Database.Database, file: string): number {
  if (schemaVersion(db) === SCHEMA_VERSION) return SCHEMA_VERSION;
  return db
    .transaction(() => {
      refuseForeignFile(db, file);
      const from = schemaVersion(db);
      registerChecksums(db);
      for (const migration of MIGRATIONS.slice(from)) db.exec(migration);
      // Nothing else ever adds events to the tree that were in the log without it.
      if (from < WITH_TREE) new MerkleTables(db).create();
      if (from < WITH_EPOCHS && mayBeCopy(file, db)) markCopy(db, 'backup');
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
      return from;
    })
    .immediate();
}

/** Lets SQL compute checksums: for the migration that brings them. */
export function registerChecksums(db: Database.Database): void {
  const options = { varargs: true, deterministic: true, safeIntegers: true };
  db.function('checksum_of', options, (table, ...columns) => {
    return checksumOf(table as keyof typeof DOMAINS, columns as Column[]);
  });
}

// Backups of older versions do not say that they are. A store that was served has its head beside it.
function mayBeCopy(file: string, db: Database.Database): boolean {
  const hasEvents = db.prepare('SELECT EXISTS (SELECT 1 FROM events)').pluck().get() === 1;
  return hasEvents && readHeadOf(file) === undefined;
}

function schemaVersion(db: Database.Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** What went wrong with a file, as somebody can read it who is to mend it. */
export function inPlainWords(error: unknown, file: string): CannotStart {
  if (error instanceof CannotStart) return error;
  const { message } = error as Error;
  const code = error instanceof Database.SqliteError ? error.code : undefined;
  if (code === 'SQLITE_NOTADB') return new CannotStart(`${file} is not a SQLite database.`);
  const detail = code === undefined ? message : `${message} (${code})`;
  return new CannotStart(`${file} cannot be opened: ${detail}.`, { cause: error });
}
