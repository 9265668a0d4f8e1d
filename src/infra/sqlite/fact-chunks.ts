import type Database from 'better-sqlite3';
import { FACTS_A_CHUNK, type FactChunk, KIND } from '../chunked-facts.ts';

/**
 * Reads the events after a position, as they are stored: one statement answers a thousand of them.
 * @param end What ends a text among others.
 */
export function factChunksOf(db: Database.Database, end: string): (after: number) => FactChunk {
  // An aggregate takes rows as they come, which is by position: it reads the table from one end of
  // a range to the other.
  const select = db
    .prepare(
      `SELECT count(*), max(position), group_concat(${KIND}, ''),
              CAST(group_concat(data, $end) || $end AS BLOB),
              CAST(group_concat(metadata, $end) || $end AS BLOB)
         FROM events WHERE position > $after AND position <= $after + ${FACTS_A_CHUNK}`,
    )
    .raw();
  return (after) => select.get({ after, end }) as unknown as FactChunk;
}
