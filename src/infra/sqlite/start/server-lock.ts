/** Locks of files that end with the process that holds them. */

import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { giveToStoreOwner } from '../../process/store-owner.ts';

/**
 * Locks a store's file for one server; commands can still use the store beside it. Returns a
 * function that releases the lock. Throws {@link UserError} if another server holds it.
 */
export function lockForServer(file: string): () => void {
  return lock(`${file}-server`, `Another server is running on ${file}. Stop it first.`);
}

/**
 * Locks the file of a copy that is being made, as a server locks it. Returns a function that releases
 * the lock. Throws {@link UserError} if another process makes one.
 */
export function lockForCopy(file: string): () => void {
  const taken = `Another \`store-orders migrate-store\` is writing ${file}. Let it finish first.`;
  return lock(`${file}-server`, taken);
}

/**
 * Locks a file that exists for its lock alone. Returns a function that releases it. Throws
 * {@link UserError} with the message `taken` if another process holds it, and still does after so
 * many milliseconds, for which this thread is blocked.
 *
 * The lock is an exclusive transaction on an empty database. The operating system holds it, so it
 * ends with the process, however that ends, and no stale lock can remain.
 */
export function lock(file: string, taken: string, waitMs = 0): () => void {
  const isNew = !existsSync(file);
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { timeout: waitMs });
    if (isNew) giveToStoreOwner(file);
    // Without a journal the lock needs no disk space, so that it works on a full disk.
    db.pragma('journal_mode = OFF');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const { code, message } = error as { code?: string; message: string };
    throw new UserError(code === 'SQLITE_BUSY' ? taken : `${file} cannot be locked: ${message}.`, {
      cause: error,
    });
  }
  return () => db.close();
}
