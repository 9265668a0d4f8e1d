/** The check of the rows that are in no proof: API keys and kept outcomes. */

import type { KeptOutcome } from '../../app/ports/event-log.ts';
import { requireAllKept, requireNoTraceOf } from '../checking/stored-check.ts';
import { CHUNK_ROWS, keyIn, requirePossible } from '../events/row-mapping.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { recordedHome } from './epochs-table.ts';
import { readKeptAfter } from './kept-outcomes-table.ts';
import { keyRowsIn } from './key-store.ts';
import { SCHEMA_VERSION, WITH_EPOCHS, WITH_SECOND_PLACES, WITH_TRACES } from './schema.ts';

/** A trace that is planted ahead of the log would be taken for that of the event to come. */
const TRACES_OF_NONE: Statement = {
  name: 'check_traces',
  text: `
    SELECT position FROM store_orders.event_traces WHERE position < 1
    UNION ALL SELECT position FROM store_orders.event_traces
      WHERE position > (SELECT coalesce(max(position), 0) FROM store_orders.events) LIMIT 1`,
};

/** The approximate size of a kept outcome in the database, in bytes. */
const OUTCOME_BYTES = 200;

/**
 * Makes a session read tables through their indexes, as look-ups do: if the index lacks a row, a
 * scan of the table shows nothing wrong.
 */
export const THROUGH_INDEXES = 'SET enable_seqscan = off; SET enable_bitmapscan = off';

/**
 * Checks the checksum of every API key and every kept outcome, that a lookup finds each, the changes of
 * the keys, and that traces are of events. Yields the bytes read since the previous yield. Throws {@link DamagedStore}.
 * @param db It reads {@link THROUGH_INDEXES}.
 * @param version The version of the store's schema.
 */
export async function* checkRows(db: Queryable, version = SCHEMA_VERSION): AsyncIterable<number> {
  for await (const { rows, changes } of keyRowsIn(db, version)) {
    for (const key of rows.map(keyIn)) requirePossible(changes.get(key.id) ?? [], key);
  }
  if (version >= WITH_EPOCHS) await recordedHome(db);
  if (version >= WITH_TRACES) {
    requireNoTraceOf((await db.query<[number]>(TRACES_OF_NONE))[0]?.[0]);
  }
  const count = '(SELECT count(*) FROM store_orders.kept_outcomes)';
  const [[recorded, counted] = [0, 0]] = await db.query<[number, number]>({
    name: `count_kept_${version}`,
    text: `SELECT ${version < WITH_SECOND_PLACES ? count : 'kept_outcomes'}, ${count}
             FROM store_orders.store`,
  });
  requireAllKept(recorded, counted);
  let read = 0;
  let outcomes: readonly KeptOutcome[] = await readKeptAfter(db, { by: '', key: '' }, CHUNK_ROWS);
  for (let last = outcomes.at(-1); last !== undefined; last = outcomes.at(-1)) {
    read += outcomes.length;
    yield outcomes.length * OUTCOME_BYTES;
    outcomes = await readKeptAfter(db, last, CHUNK_ROWS);
  }
  // More may have been kept meanwhile.
  requireAllKept(recorded, Math.min(recorded, read));
}
