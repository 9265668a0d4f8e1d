/** Reads events from the table as they are stored: for the log, its tree, and folds. */

import type { StoredFields } from '../../app/log/recorded-event.ts';
import { type FoldSource, UnreadableEvent } from '../../app/ports/event-log.ts';
import { fast } from '../events/fast-path.ts';
import { decodedFoldSource } from '../events/fold-source.ts';
import { type EventRow, eventsIn } from '../events/row-mapping.ts';
import type { Queryable, Statement } from './connection/connection.ts';

// Rows behind the end of the tree are not part of the log (docs/adr/0019). A second row of the tree
// is damage, which each read of the edge finds; here it must not be an error of the server.
const SELECT: Statement = {
  name: 'events',
  text: `SELECT position, version, type, schema_version, data, metadata
           FROM store_orders.events
           WHERE position > $1 AND position <= (
             SELECT min(('x' || encode(substr(edge, 1, 8), 'hex'))::bit(64)::bigint)
               FROM store_orders.tree)
           ORDER BY position LIMIT $2`,
};

/**
 * Returns the first events after a position. Throws {@link UnreadableEvent} if one is missing.
 * @param known A position that the log has for certain: an end before it is no end, but a gap.
 */
export async function readStored(
  db: Queryable,
  after: number,
  limit: number,
  known = 0,
): Promise<StoredFields[]> {
  const events = eventsIn(await db.query<EventRow>(SELECT, [after, limit]), after);
  const end = after + events.length;
  if (events.length < limit && end < known) throw new UnreadableEvent(end + 1, 'it is missing');
  return events;
}

/** Returns the source from which a store's events are folded: natively where that is possible. */
export function foldSourceIn(db: Queryable): FoldSource {
  const decoded = decodedFoldSource((after, limit) => readStored(db, after, limit));
  return fast?.postgresFoldSource(db, decoded) ?? decoded;
}
