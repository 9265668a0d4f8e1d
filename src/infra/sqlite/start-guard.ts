import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Log, refuseOtherLog } from './head-file.ts';
import { refuseDamagedWal } from './wal-guard.ts';

/**
 * Throws {@link CannotStart} where a store's file has lost what was acknowledged, before anything
 * in it is changed.
 */
export function guardStore(file: string): void {
  refuseDamagedWal(file);
  refuseOtherLog(file, () => readLog(file));
}

// A connection that may only read leaves the -wal file as it is when it closes. Any other would put
// what is whole of it into the store's file and delete the rest, from which an expert might still
// learn something.
function readLog(file: string): Log {
  if (!existsSync(file)) return NO_LOG;
  const db = new Database(file, { readonly: true });
  try {
    return {
      storeId: db.prepare('SELECT id FROM store').pluck().get() as string,
      position: db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck().get() as number,
      rootAt: () => undefined,
    };
  } catch (error) {
    // SQLITE_ERROR: it has no such table.
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') return NO_LOG;
    throw error;
  } finally {
    db.close();
  }
}

const NO_LOG: Log = { storeId: undefined, position: 0, rootAt: () => undefined };
