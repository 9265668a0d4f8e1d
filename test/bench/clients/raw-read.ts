import Database from 'better-sqlite3';

/**
 * Reads a store's log as fast as better-sqlite3 can, a thousand rows at a time with all columns,
 * and discards it. Prints the time in milliseconds.
 */

export interface RawReadOrder {
  readonly file: string;
}

export interface RawReadSeen {
  readonly rows: number;
  readonly milliseconds: number;
}

const { file } = JSON.parse(process.argv[2] as string) as RawReadOrder;
const db = new Database(file, { readonly: true });
const chunk = db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT 1000');
const read = chunk.raw();

const begun = performance.now();
let rows = 0;
for (;;) {
  const found = read.all(rows);
  rows += found.length;
  if (found.length < 1_000) break;
}
const milliseconds = performance.now() - begun;
db.close();
process.stdout.write(JSON.stringify({ rows, milliseconds } satisfies RawReadSeen));
