import Database from 'better-sqlite3';
import { DamagedStore } from '../../app/ports/store.ts';

/** Whether SQLite has found that what lies on the disk is no database of its own any more. */
export function isSqliteDamage(error: unknown): error is Error {
  return (
    error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/.test(error.code)
  );
}

/** What SQLite has found damaged, in the words of the port; any other error as it is. */
export function orDamaged(error: unknown): unknown {
  return isSqliteDamage(error) ? new DamagedStore(`the database: ${error.message}`) : error;
}
