import type { KeptOutcome } from '../../app/ports/event-log.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { readKeptAfter } from './kept-outcomes-table.ts';
import { PostgresKeyStore } from './key-store.ts';

/** The kept outcomes of a chunk. */
const CHUNK_ROWS = 1_000;

/** The approximate size of a kept outcome in the database, in bytes. */
const OUTCOME_BYTES = 200;

const COUNT_KEPT: Statement = {
  name: 'count_kept',
  text: 'SELECT count(*) FROM store_orders.kept_outcomes',
};

/**
 * Checks the checksum of every API key and every kept outcome, and that a lookup finds each. Yields
 * the bytes read since the previous yield. Throws {@link DamagedStore}.
 */
export async function* checkRows(db: Queryable): AsyncIterable<number> {
  await new PostgresKeyStore(db).list();
  const [[due] = [0]] = await db.query<[number]>(COUNT_KEPT);
  let read = 0;
  let outcomes: readonly KeptOutcome[] = await readKeptAfter(db, { by: '', key: '' }, CHUNK_ROWS);
  for (let last = outcomes.at(-1); last !== undefined; last = outcomes.at(-1)) {
    read += outcomes.length;
    yield outcomes.length * OUTCOME_BYTES;
    outcomes = await readKeptAfter(db, last, CHUNK_ROWS);
  }
  if (read < due) throw new DamagedStore(`of ${due} kept outcomes only ${read} are found`);
}
