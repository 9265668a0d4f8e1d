import type { StoredEvent } from '../event-codec.ts';
import { type EventRow, eventsIn } from '../rows.ts';
import type { Queryable, Statement } from './database.ts';

// Behind the end of the tree nothing is part of the log, whoever has put it there.
const SELECT: Statement = {
  name: 'events',
  text: `SELECT position, version, type, schema_version, data, metadata
           FROM store_orders.events
           WHERE position > $1 AND position <= (
             SELECT ('x' || encode(substr(edge, 1, 8), 'hex'))::bit(64)::bigint
               FROM store_orders.tree)
           ORDER BY position LIMIT $2`,
};

/** The first events after a position. Throws {@link UnreadableEvent} where one is missing. */
export async function readStored(
  db: Queryable,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  return eventsIn(await db.query<EventRow>(SELECT, [after, limit]), after);
}
