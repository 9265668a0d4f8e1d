/** Checks that a connection can write. */

import type Database from 'better-sqlite3';
import { cannotOpen } from '../store-file.ts';

/**
 * Throws {@link UserError} if a connection can only read. SQLite opens a file for reading if it
 * cannot be opened for writing, and reports that at the first write alone.
 */
export function requireWritable(file: string, db: Database.Database): void {
  try {
    // A read-only connection begins this transaction, too. It changes nothing and is not committed.
    db.exec('BEGIN IMMEDIATE');
    try {
      db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
    } finally {
      db.exec('ROLLBACK');
    }
  } catch (error) {
    throw cannotOpen(error, file);
  }
}
