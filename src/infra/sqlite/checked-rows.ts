import type Database from 'better-sqlite3';
import { DamagedStore } from '../../app/ports/store.ts';
import { type KeyRow, keyIn } from '../rows.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { KEY_COLUMNS } from './sqlite-key-store.ts';

/** Kept outcomes that are read at once. */
const CHUNK_ROWS = 1_000;

/** What a kept outcome takes in the file, about, in bytes. */
const OUTCOME_BYTES = 160;

/**
 * Checks that every API key and every kept outcome has its checksum, and can be found where it is
 * looked for. Yields now and then how many bytes it has read. Throws {@link DamagedStore}.
 */
export function* checkRows(db: Database.Database): Iterable<number> {
  const find = db.prepare('SELECT count(*) FROM api_keys WHERE id = ?').pluck();
  const keys = db.prepare(`SELECT ${KEY_COLUMNS} FROM api_keys NOT INDEXED`).raw();
  for (const { id } of (keys.all() as KeyRow[]).map(keyIn)) {
    if (find.get(id) !== 1) throw new DamagedStore(`the API key ${id} is not found by its id`);
  }
  const kept = new KeptOutcomesTable(db);
  const due = db.prepare('SELECT count(*) FROM kept_outcomes').pluck().get() as number;
  let read = 0;
  let outcomes = kept.after({ by: '', key: '' }, CHUNK_ROWS);
  for (let last = outcomes.at(-1); last !== undefined; last = outcomes.at(-1)) {
    read += outcomes.length;
    yield outcomes.length * OUTCOME_BYTES;
    outcomes = kept.after(last, CHUNK_ROWS);
  }
  if (read < due) throw new DamagedStore(`of ${due} kept outcomes only ${read} are found`);
}
