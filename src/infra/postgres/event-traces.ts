/** The traces of events in PostgreSQL: beside the log, and in no proof. */

import { int8s, texts } from './arrays.ts';
import type { Queryable, Statement } from './connection/connection.ts';

const SELECT: Statement = {
  name: 'event_traces',
  text: 'SELECT position, traceparent FROM store_orders.event_traces WHERE position = ANY($1::bigint[])',
};

/** Returns the traces of the events at these positions, by position. */
export async function readTraces(
  db: Queryable,
  positions: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  return new Map(await db.query<[number, string]>(SELECT, [int8s(positions)]));
}

/** Returns the columns of traces that are to be recorded, by their positions. */
export function tracesColumns(traces: ReadonlyMap<number, string>): readonly [Buffer, Buffer] {
  return [int8s([...traces.keys()]), texts([...traces.values()])];
}
