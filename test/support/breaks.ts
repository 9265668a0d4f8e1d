import Database from 'better-sqlite3';

/** Returns the statements of the breaks of a log in SQLite, the first one first. */
export function breaksIn(file: string): object[] {
  const db = new Database(file, { readonly: true });
  const statements = db.prepare('SELECT statement FROM epochs ORDER BY number').pluck().all();
  db.close();
  return (statements as string[]).map((statement) => JSON.parse(statement));
}
