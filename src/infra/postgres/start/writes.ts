/** The checks that the server lets a store be written, without a command. */

import type pg from 'pg';
import { StoreUnavailable } from '../../../app/ports/store.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import type { Database } from '../connection/database.ts';
import { isHeldUp, isRefusal, isRefusedForGood } from '../connection/errors.ts';
import { RIGHTS } from '../rights.ts';

/**
 * Writes no row to each table in each way in which the service writes. The server refuses that as it
 * refuses a row, for example if a publication takes updates of a table without a replica identity.
 */
const WRITE_NOTHING: Statement = {
  name: 'write_nothing',
  text: `WITH ${RIGHTS.map(({ to, table, columns = [] }, index) => {
    const name = `store_orders.${table}`;
    const same = columns.map((column) => `${column} = ${column}`);
    const write = {
      INSERT: `INSERT INTO ${name} SELECT WHERE false`,
      UPDATE: `UPDATE ${name} SET ${same} WHERE false`,
      DELETE: `DELETE FROM ${name} WHERE false`,
    }[to];
    return `write_${index} AS (${write})`;
  }).join(', ')} SELECT`,
};

/**
 * Returns a clause if the server refuses writes for a reason that does not pass by itself; none if it
 * lets them through; undefined if it cannot be found out now, because of a lock or a missing right.
 */
export async function refusedWrites(db: Queryable): Promise<string[] | undefined> {
  try {
    await db.query(WRITE_NOTHING);
    return [];
  } catch (error) {
    return isRefusedForGood(error as Error) ? [refusalIn(error as Error)] : undefined;
  }
}

/**
 * Records an event and an outcome of 64 KiB each as a command would, under the log's lock, and takes them
 * back: they need space and locks that {@link WRITE_NOTHING} does not need.
 */
const TRY_TO_RECORD = `
  BEGIN;
  SET LOCAL lock_timeout = 400;
  SELECT FROM store_orders.tree FOR UPDATE;
  WITH large AS (
    SELECT string_agg(md5(random()::text), '') AS text FROM generate_series(1, 2048)
  ), event AS (
    INSERT INTO store_orders.events
      SELECT (SELECT coalesce(max(position), 0) + 1 FROM store_orders.events),
             1, 1, 'Trial', 1, text, '{}' FROM large
  )
  INSERT INTO store_orders.kept_outcomes SELECT '', '', text, NULL, NULL, NULL, '' FROM large;
  ROLLBACK`;

/**
 * Tries to record something, of which nothing remains. Returns the error of a refusal that may pass by
 * itself; undefined without one. Throws if the database is out of reach.
 */
export async function heldUpWrite(db: Pick<Database, 'connect'>): Promise<Error | undefined> {
  const connection = await db.connect();
  try {
    await connection.run(TRY_TO_RECORD);
    connection.release();
    return undefined;
  } catch (error) {
    if (isRefusal(error)) await connection.rollBack();
    else connection.release(error as Error);
    if (!isRefusal(error)) throw error;
    return isHeldUp(error) ? error : undefined;
  }
}

/** Returns the clause that names the server's refusal, with its hint. */
export function refusalIn(error: Error): string {
  const { message, hint } = (
    error instanceof StoreUnavailable ? error.cause : error
  ) as pg.DatabaseError;
  return `the server refuses writes: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
