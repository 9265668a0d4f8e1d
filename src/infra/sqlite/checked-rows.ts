/** The checks of all that is in no proof: API keys, kept outcomes, and the structure of the file. */

import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { DamagedStore } from '../../app/ports/store.ts';
import { requireAllKept, requireNoTraceOf } from '../checking/stored-check.ts';
import { CHUNK_ROWS, type KeyChangeRow, keyIn, requirePossible } from '../events/row-mapping.ts';
import { KeptOutcomesTable } from './kept-outcomes-table.ts';
import { keyRowsIn } from './key-store.ts';
import { SCHEMA_VERSION, WITH_SECOND_PLACES, WITH_TRACES } from './schema.ts';
import { signingKeysIn } from './signing-keys.ts';
import { problemIn } from './storage/second-look.ts';

const KEY_CHANGES = 'SELECT id, checksum, limits_checksum FROM key_changes WHERE id = ?';

/** A trace that is planted ahead of the log would be taken for that of the event to come. */
const TRACES_OF_NONE = `
  SELECT position FROM event_traces WHERE position < 1
  UNION ALL SELECT position FROM event_traces
    WHERE position > (SELECT coalesce(max(position), 0) FROM events)`;

/** The approximate size of a kept outcome in the file, in bytes. */
const OUTCOME_BYTES = 160;

/** The largest database whose structure is checked at once, in bytes: it takes about a second. */
const WHOLE_CHECK_BYTES = 268_435_456;

/**
 * Runs SQLite's own check: every page is used once, every B-tree is in order, and every value has the
 * type of its column. Throws {@link DamagedStore}. Returns the bytes of the database.
 */
export function checkStructure(db: Database.Database): number {
  const { size } = statSync(db.name);
  // The check of a whole database cannot be interrupted. A large store's events are read anyway.
  const parts = size <= WHOLE_CHECK_BYTES ? [''] : tablesBeside(db);
  for (const part of parts) {
    const problem = problemIn(db, part);
    if (problem !== undefined)
      throw new DamagedStore(`${db.name} is no whole database: ${problem}`);
  }
  return size;
}

/** Returns the names of all tables but the large ones, whose rows are read anyway. */
function tablesBeside(db: Database.Database): readonly string[] {
  const select = db.prepare(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('events', 'refusals')`,
  );
  return select.pluck().all() as string[];
}

/**
 * Checks the checksum of every API key and every kept outcome, that a lookup finds each, the changes
 * of the keys, the form of the record of signing keys, and that traces are of events. Yields the bytes
 * read since the previous yield. Throws {@link DamagedStore}.
 * @param version The version of the store's schema.
 */
export function* checkRows(db: Database.Database, version = SCHEMA_VERSION): Iterable<number> {
  const find = db.prepare('SELECT count(*) FROM api_keys WHERE id = ?').pluck();
  const changes = version < WITH_SECOND_PLACES ? undefined : db.prepare(KEY_CHANGES).raw();
  // While the rows are read, all other reads see the same state.
  for (const row of keyRowsIn(db, version)) {
    const key = keyIn(row);
    const { id } = key;
    if (find.get(id) !== 1) throw new DamagedStore(`the API key ${id} is not found by its id`);
    if (changes !== undefined) requirePossible(changes.all(id) as KeyChangeRow[], key);
  }
  signingKeysIn(db);
  if (version >= WITH_TRACES) {
    requireNoTraceOf(db.prepare(TRACES_OF_NONE).pluck().get() as number | undefined);
  }
  const kept = new KeptOutcomesTable(db);
  const count = '(SELECT count(*) FROM kept_outcomes)';
  const counts = `SELECT ${version < WITH_SECOND_PLACES ? count : 'kept_outcomes'}, ${count} FROM store`;
  const [recorded, counted] = (db.prepare(counts).raw().get() ?? [0, 0]) as [number, number];
  requireAllKept(recorded, counted);
  let read = 0;
  let outcomes = kept.after({ by: '', key: '' }, CHUNK_ROWS);
  for (let last = outcomes.at(-1); last !== undefined; last = outcomes.at(-1)) {
    read += outcomes.length;
    yield outcomes.length * OUTCOME_BYTES;
    outcomes = kept.after(last, CHUNK_ROWS);
  }
  // More may have been kept meanwhile.
  requireAllKept(recorded, Math.min(recorded, read));
}
