/** Classifies errors of the storage: a full or failing disk, and damage found by SQLite. */

import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Impairment } from '../../../app/ports/impairment.ts';
import { DamagedStore, StoreUnavailable } from '../../../app/ports/store.ts';
import { failedReadOf, isSqliteDamage } from './second-look.ts';

/** A fault because of which a sound store cannot be written. */
export interface StorageFault {
  readonly reason: Extract<Impairment, 'storage_full' | 'storage_failing'>;
  readonly cause: Error;
}

/** With less free space than this, the disk counts as full, whatever the error is. */
const FULL_BELOW_BYTES = 65_536;

// SQLite reports SQLITE_FULL for ENOSPC alone. EDQUOT, EFBIG and a -shm file that cannot grow are
// SQLITE_IOERR (os_unix.c, unixWrite and unixShmMap).
const SQLITE_CODES = /^SQLITE_(?:FULL|IOERR|CANTOPEN|READONLY)/;
/** The messages of SQLite (SQLITE_ERROR) for a statement that does not fit the schema. */
const OTHER_SCHEMA = /^no such (?:table|column):|^table \S+ has |because it is a view$/;
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ESTALE',
]);
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/**
 * Returns the storage fault behind an error; `undefined` if it has another cause, such as a damaged
 * file, another process's lock, or a bug.
 * @param file The store's file.
 */
export function storageFaultOf(error: unknown, file: string): StorageFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code !== 'string' || !(SQLITE_CODES.test(code) || SYSTEM_CODES.has(code))) continue;
    // It can mean too many open files, or a folder in which no file can be created. If one can be,
    // the store's name is wrong.
    if (code.startsWith('SQLITE_CANTOPEN') && hasRoom(file, 1)) continue;
    const isFull = FULL_CODES.has(code) || isFullNow(file);
    return { reason: isFull ? 'storage_full' : 'storage_failing', cause };
  }
  return undefined;
}

/**
 * Returns the storage fault behind a failed write to a store that is open. Besides the faults of {@link
 * storageFaultOf}, that is any error of the system, such as of a folder that this user may no longer
 * search. At a start, such an error names a wrong setting.
 */
export function failedWriteOf(error: unknown, file: string): StorageFault | undefined {
  const fault = storageFaultOf(error, file);
  if (fault !== undefined) return fault;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('syscall' in cause) return { reason: 'storage_failing', cause };
  }
  return undefined;
}

/**
 * Returns the advice on a file that cannot be opened because its schema was altered, its disk is full, this
 * user may not read it, or its folder cannot be written, in a sentence; or an empty text. SQLite reads a store
 * that nobody has open only where it can create the files beside it.
 */
export function storageHint(error: unknown, file: string): string {
  const { code = '' } = error as { code?: string };
  if (isOfAlteredSchema(error))
    return ' The schema of the store was altered: undo that, or restore a backup.';
  // For a -shm file that cannot grow, the words of SQLite are "disk I/O error".
  if (code.startsWith('SQLITE_IOERR') && isFullNow(file)) return ' The disk is full.';
  if (!['SQLITE_CANTOPEN', 'SQLITE_READONLY'].some((name) => code.startsWith(name))) return '';
  const files = [file, `${file}-wal`, `${file}-shm`];
  const unreadable = files.find((each) => isForbidden(each, constants.R_OK));
  if (unreadable !== undefined) return ` This user may not read ${unreadable}: see its owner.`;
  // SQLITE_CANTOPEN can also mean that too many files are open.
  if (isAllowed(file, constants.R_OK) && !isAllowed(dirname(file), constants.W_OK))
    return ' It takes a folder that may be written to: copy it to one.';
  const unwritable = files.find((each) => isForbidden(each, constants.W_OK));
  return unwritable === undefined ? '' : ` This user may not write ${unwritable}: see its owner.`;
}

/** Returns true if this process may read, or write, at a path. Opens no file. */
function isAllowed(path: string, mode: number): boolean {
  return refusalOf(path, mode) === undefined;
}

/** Returns true if the owner or the mode of a file, and not its disk, forbids this user to read it, or to write it. */
function isForbidden(path: string, mode: number): boolean {
  return refusalOf(path, mode) === 'EACCES';
}

/** Returns the code of the error with which the system refuses an access; `undefined` if it allows it. */
function refusalOf(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/**
 * Returns true if a commit failed at its flush. Any part of it may be on the disk: the kernel may
 * have dropped what it could not write (fsync(2), sqlite.org/rescode.html#ioerr_fsync).
 */
export function isFailedFlush(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_IOERR_(?:DIR_)?FSYNC$/.test(error.code);
}

/**
 * Returns true if a guard or a key of the schema refuses a row. The program writes only rows that they
 * let through, so others have written before, where the row belongs.
 */
function isGuarded(error: unknown): error is Error {
  return (
    error instanceof Database.SqliteError &&
    /^SQLITE_CONSTRAINT_(?:TRIGGER|PRIMARYKEY|UNIQUE|ROWID)$/.test(error.code)
  );
}

/** Returns true if a statement finds a table or a column gone, or a view or other columns in its place. */
export function isOfAlteredSchema(error: unknown): boolean {
  return error instanceof Database.SqliteError && OTHER_SCHEMA.test(error.message);
}

/** Returns true for an error of SQLite, or one that stands for it: nothing is recorded, and nothing else is wrong. */
export function isOfStorage(error: unknown): boolean {
  return error instanceof Database.SqliteError || error instanceof StoreUnavailable;
}

/** Returns true if another process holds a lock that SQLite has waited for. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(?:BUSY|LOCKED)/.test(error.code);
}

/**
 * Converts damage found by a guard of the schema, or by SQLite and a second look, to
 * {@link DamagedStore}, and a read that failed to {@link StoreUnavailable}. Returns any other error
 * unchanged.
 * @param file The file of the database.
 */
export function orDamaged(error: unknown, file: string): unknown {
  const failed = failedReadOf(error, file);
  if (failed !== undefined) return failed;
  const isDamage = isSqliteDamage(error) || isGuarded(error);
  return isDamage ? new DamagedStore(`${file}: ${error.message}`) : error;
}

/**
 * Returns the result of a statement. Throws {@link StoreUnavailable} for a storage error, and for an
 * altered schema, which can be undone while the store is served; and {@link DamagedStore} for damage.
 * @param db The connection of the statement.
 */
export function orUnavailable<Result>({ name }: Database.Database, ask: () => Result): Result {
  try {
    return ask();
  } catch (error) {
    const known = orDamaged(error, name);
    const isAway =
      known instanceof Database.SqliteError &&
      (SQLITE_CODES.test(known.code) || isOfAlteredSchema(known));
    throw isAway ? new StoreUnavailable(known) : known;
  }
}

/** Returns the result of a read; if it meets damage, adds that to `flaws`. */
export function orFlaw<Result>(
  { name }: Database.Database,
  read: () => Result,
  flaws: string[],
): Result | undefined {
  try {
    return read();
  } catch (error) {
    const known = orDamaged(error, name);
    if (!(known instanceof DamagedStore)) throw known;
    flaws.push((error as Error).message);
    return undefined;
  }
}

/**
 * Returns true if a file of so many bytes can be written beside a store's file. Removes it again.
 */
export function hasRoom(file: string, bytes: number): boolean {
  const probe = `${file}-room`;
  try {
    const fd = openSync(probe, 'w', 0o600);
    try {
      return writeSync(fd, Buffer.alloc(bytes)) === bytes && fsyncSync(fd) === undefined;
    } finally {
      closeSync(fd);
      rmSync(probe, { force: true });
    }
  } catch {
    return false;
  }
}

function isFullNow(file: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(file));
    return bavail * bsize < FULL_BELOW_BYTES || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}
