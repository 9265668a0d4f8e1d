/** The check that the server lets a store be written: it finds refusals before a command does. */

import type pg from 'pg';
import { StoreUnavailable } from '../../../app/ports/store.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { isRefusedForGood } from '../connection/errors.ts';
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

/** Returns the clause that names the server's refusal, with its hint. */
export function refusalIn(error: Error): string {
  const { message, hint } = (
    error instanceof StoreUnavailable ? error.cause : error
  ) as pg.DatabaseError;
  return `the server refuses writes: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
