import Database from 'better-sqlite3';
import { CannotStart } from '../../../app/lifecycle/cannot-start.ts';

/**
 * Makes sure that one server at most serves a store's file, while the command line works beside
 * it: two servers would each hold half of the waiting commands and sweep the other's away.
 *
 * The lock is an exclusive transaction on an empty database beside the store's. The operating
 * system holds it, so it ends with the process, however that ends, and no stale file can remain
 * in the way. Returns what releases it.
 */
export function lockForServer(file: string): () => void {
  let db: Database.Database | undefined;
  try {
    db = new Database(`${file}-server`, { timeout: 0 });
    // Without a journal it takes no room to lock an empty database: a full disk must not prevent it.
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
