import Database from 'better-sqlite3';
import { differences } from '../checking/stored-check.ts';
import { registerChecksums } from './migrations.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * Returns the differences between the schema of a store and that of its version. Tampering with an
 * append-only table takes dropping its triggers first, and may leave other triggers behind.
 */
export function flawsInSchema(db: Database.Database, version: number): string[] {
  const model = new Database(':memory:');
  try {
    registerChecksums(model);
    for (const migration of MIGRATIONS.slice(0, version)) model.exec(migration);
    return differences(textsIn(model), textsIn(db));
  } finally {
    model.close();
  }
}

function textsIn(db: Database.Database): Map<string, string> {
  // SQLite itself adds the statistics of ANALYZE and the indexes of primary keys.
  const rows = db
    .prepare(`SELECT type || ' ' || name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'`)
    .raw()
    .all() as [string, string][];
  return new Map(rows);
}
