import { UnreadableEvent } from '../../app/ports/event-log.ts';
import type { StoredEvent } from '../event-codec.ts';
import type { Queryable, Statement } from './database.ts';

const SELECT: Statement = {
  name: 'events',
  text: `SELECT position, version, type, schema_version, data, metadata
           FROM store_orders.events WHERE position > $1 ORDER BY position LIMIT $2`,
};

/** The first events after a position. Throws {@link UnreadableEvent} where one is missing. */
export async function readStored(
  db: Queryable,
  after: number,
  limit: number,
): Promise<StoredEvent[]> {
  return (await db.query<Row>(SELECT, [after, limit])).map((row, index) => {
    const [position, version, type, schemaVersion, data, metadata] = row;
    const due = after + 1 + index;
    if (position !== due) throw new UnreadableEvent(due, 'it is missing');
    return { position, version, type, schemaVersion, data, metadata };
  });
}

type Row = [number, number, string, number, string, string];
