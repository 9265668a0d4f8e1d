import type { KeptOutcome } from '../../app/ports/event-log.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Queryable, Statement } from './database.ts';
import { readKeptAfter } from './kept-outcomes-table.ts';
import { PostgresKeyStore } from './postgres-key-store.ts';

/** Kept outcomes that are read at once. */
const CHUNK_ROWS = 1_000;

/** What a kept outcome takes in the database, about, in bytes. */
const OUTCOME_BYTES = 200;

const COUNT_KEPT: Statement = {
  name: 'count_kept',
  text: 'SELECT count(*) FROM store_orders.kept_outcomes',
};

/**
 * Checks that every API key and every kept outcome has its checksum, and can be found where it is
 * looked for. Yields now and then how many bytes it has read. Throws {@link DamagedStore}.
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
