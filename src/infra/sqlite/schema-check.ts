import Database from 'better-sqlite3';
import { type Definition, differences } from '../checking/stored-check.ts';
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

function textsIn(db: Database.Database): Definition[] {
  // ANALYZE adds tables of statistics. The indexes of primary keys are those of the model.
  const rows = db
    .prepare(
      `SELECT type || ' ' || name, sql FROM sqlite_schema
        WHERE type <> 'table' OR name NOT IN ('sqlite_stat1', 'sqlite_stat4')`,
    )
    .raw()
    .all();
  return rows as Definition[];
}
