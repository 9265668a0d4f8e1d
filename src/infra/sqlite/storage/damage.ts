/** The errors by which SQLite reports damage. */

import Database from 'better-sqlite3';
import { DamagedStore } from '../../../app/ports/store.ts';

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
