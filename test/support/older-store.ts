import Database from 'better-sqlite3';
import { registerChecksums } from '../../src/infra/sqlite/migrations.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/infra/sqlite/schema.ts';

/** Makes an empty store as the version with this schema did, and opens it without a migration. */
export function emptyStore(file: string, schema: number): Database.Database {
  const db = new Database(file);
  registerChecksums(db);
  for (const migration of MIGRATIONS.slice(0, schema)) db.exec(migration);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.pragma(`user_version = ${schema}`);
  return db;
}
