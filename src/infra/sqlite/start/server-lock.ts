import Database from 'better-sqlite3';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';

/**
 * Locks a store's file for one server; commands can still use the store beside it. Returns a
 * function that releases the lock. Throws {@link CannotStart} if another server holds it.
 *
 * The lock is an exclusive transaction on an empty database beside the store's file. The operating
 * system holds it, so it ends with the process, however that ends, and no stale lock can remain.
 */
export function lockForServer(file: string): () => void {
  let db: Database.Database | undefined;
  try {
    db = new Database(`${file}-server`, { timeout: 0 });
    // Without a journal the lock needs no disk space, so that it works on a full disk.
    db.pragma('journal_mode = OFF');
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const { code, message } = error as { code?: string; message: string };
    throw new CannotStart(
      code === 'SQLITE_BUSY'
        ? `Another server is running on ${file}. Stop it first.`
        : `${file}-server cannot be locked: ${message}.`,
      { cause: error },
    );
  }
  return () => db.close();
}
