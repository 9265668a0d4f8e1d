import type Database from 'better-sqlite3';
import type { OrderEvent } from '../../domain/order.ts';
import { schemaVersionOf } from '../event-codec.ts';

/** Events a statement: enough to make one cheap, too few to hold up the event loop. */
const CHUNK = 1_000;

/** The letter that stands for an event which the parser reads; for all others, there is another. */
export const TYPES: Readonly<Record<string, OrderEvent['type']>> = {
  p: 'OrderPlaced',
  s: 'OrderShipped',
  c: 'OrderCancelled',
};
const KIND = Object.entries(TYPES).map(([letter, type]) => {
  const version = type === 'OrderPlaced' ? 1 : 2;
  const isThat = `schema_version = ${schemaVersionOf(type)} AND version = ${version}`;
  return `WHEN '${type}' THEN CASE WHEN ${isThat} THEN '${letter}' ELSE 'x' END`;
});

/** Many events at once. Where there are none, all but the count is null. */
export type FactChunk = readonly [
  count: number,
  /** The position of the last one. */
  last: number,
  /** A letter for each: one of {@link TYPES}, or another. */
  kinds: string,
  /** The data of each, and an end behind it; the metadata likewise. */
  data: Uint8Array<ArrayBuffer>,
  metadata: Uint8Array<ArrayBuffer>,
];

/**
 * Reads the events after a position, as they are stored. To bring a value over into JavaScript costs
 * much more than to read it, so a statement answers a thousand events in three values.
 * @param end What ends a text among others.
 */
export function factChunksOf(db: Database.Database, end: string): (after: number) => FactChunk {
  // An aggregate takes rows as they come, which is by position: it reads the table from one end of
  // a range to the other.
  const select = db
    .prepare(
      `SELECT count(*), max(position), group_concat(CASE type ${KIND.join(' ')} ELSE 'x' END, ''),
              CAST(group_concat(data, $end) || $end AS BLOB),
              CAST(group_concat(metadata, $end) || $end AS BLOB)
         FROM events WHERE position > $after AND position <= $after + ${CHUNK}`,
    )
    .raw();
  return (after) => select.get({ after, end }) as unknown as FactChunk;
}
