import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { type Log, refuseOtherLog } from './head-file.ts';
import { MerkleTables } from './merkle-tables.ts';
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
    return logIn(db);
  } finally {
    db.close();
  }
}

/** The log in an open database, as far as a head can be compared with it. */
export function logIn(db: Database.Database): Log {
  try {
    const head = db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck();
    const position = head.get() as number;
    return {
      storeId: db.prepare('SELECT id FROM store').pluck().get() as string,
      position,
      root: rootAt(db, position),
    };
  } catch (error) {
    // SQLITE_ERROR: it has no such table.
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') return NO_LOG;
    throw error;
  }
}

/** The root at the head, unless an older version has written there, which kept no tree. */
function rootAt(db: Database.Database, position: number): string | undefined {
  const hasTree = db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'tree'`).pluck();
  if (hasTree.get() === 0) return undefined;
  const frontier = new MerkleTables(db).frontier();
  return frontier.size === position ? frontier.root().toString('hex') : undefined;
}

const NO_LOG: Log = { storeId: undefined, position: 0, root: undefined };
