/** The faults of the storage: a full or failing disk, and damage that SQLite has found. */

import { closeSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import type { Impairment } from '../../../app/ports/impairment.ts';
import { DamagedStore, StoreUnavailable } from '../../../app/ports/store.ts';

/** A fault that keeps a store from being written while its file is as it should be. */
export interface StorageFault {
  readonly reason: Extract<Impairment, 'storage_full' | 'storage_failing'>;
  readonly cause: Error;
}

/** Below so much room, whatever the error is called, the disk counts as full. */
const FULL_BELOW_BYTES = 65_536;

// SQLite says SQLITE_FULL for ENOSPC alone; EDQUOT, EFBIG and a -shm file that cannot grow are
// SQLITE_IOERR (os_unix.c, unixWrite and unixShmMap).
const SQLITE_CODES = /^SQLITE_(?:FULL|IOERR|CANTOPEN|READONLY)/;
const SYSTEM_CODES: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EROFS',
  'EMFILE',
  'ENFILE',
]);
const FULL_CODES: ReadonlySet<string> = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT']);

/**
 * Returns the fault of the storage that an error stands for; `undefined` where it is something
 * else, such as a damaged file, a lock that others hold, or a mistake of ours.
 * @param file The store's file.
 */
export function storageFaultOf(error: unknown, file: string): StorageFault | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code !== 'string' || !(SQLITE_CODES.test(code) || SYSTEM_CODES.has(code))) continue;
    // Too many open files, or a folder that takes no new one; if it does, the name is what is
    // wrong.
    if (code.startsWith('SQLITE_CANTOPEN') && hasRoom(file, 1)) continue;
    const isFull = FULL_CODES.has(code) || isFullNow(file);
    return { reason: isFull ? 'storage_full' : 'storage_failing', cause };
  }
  return undefined;
}

/**
 * Returns true where a commit failed in a flush. Any part of it may be on the disk: the kernel
 * may have dropped what it could not write (fsync(2), sqlite.org/rescode.html#ioerr_fsync).
 */
export function isFailedFlush(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_IOERR_(?:DIR_)?FSYNC$/.test(error.code);
}

/** Returns true where SQLite has found its database damaged. */
export function isSqliteDamage(error: unknown): error is Error {
  return (
    error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/.test(error.code)
  );
}

/** Returns {@link DamagedStore} for damage that SQLite has found, and any other error as it is. */
export function orDamaged(error: unknown): unknown {
  return isSqliteDamage(error) ? new DamagedStore(`the database: ${error.message}`) : error;
}

/**
 * Returns what a statement returns. Throws {@link StoreUnavailable} where the storage fails it, and
 * {@link DamagedStore} for what SQLite finds damaged.
 */
export function orUnavailable<Result>(ask: () => Result): Result {
  try {
    return ask();
  } catch (error) {
    if (error instanceof Database.SqliteError && SQLITE_CODES.test(error.code)) {
      throw new StoreUnavailable(error);
    }
    throw orDamaged(error);
  }
}

/**
 * Returns true where a file of so many bytes can be made beside a store's file; it is removed at
 * once.
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
