import Database from 'better-sqlite3';
import { CannotStart } from '../../app/cannot-start.ts';

/**
 * Makes sure that one server at most serves a store's file, while the command line works beside
 * it: two servers would each hold half of the waiting commands and sweep the other's away.
 *
 * The lock is an exclusive transaction on an empty database beside the store's. The operating
 * system holds it, so it ends with the process, however that ends, and no stale file can remain
 * in the way. Returns what releases it.
 */
export function lockForServer(file: string): () => void {
  const db = new Database(`${file}-server`, { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch {
    db.close();
    throw new CannotStart(`Another server is running on ${file}. Stop it first.`);
  }
  return () => db.close();
}
