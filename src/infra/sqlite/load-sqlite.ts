/** The loading of SQLite's native module, before a thread may be terminated. */

import Database from 'better-sqlite3';

/** Loads the module, which would otherwise be loaded by the first connection. */
export function loadSqlite(): void {
  new Database(':memory:').close();
}
