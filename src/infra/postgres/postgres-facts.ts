import type { FactSource } from '../../app/ports/fact-source.ts';
import { ChunkedFacts, FACTS_A_CHUNK, type FactChunk, KIND, readAhead } from '../chunked-facts.ts';
import { END } from '../facts-parser.ts';
import type { Queryable, Statement } from './database.ts';
import { readStored } from './stored-events.ts';

// An aggregate takes the rows of a sorted subquery as they come (PostgreSQL's manual, 9.21).
const SELECT: Statement = {
  name: 'facts',
  text: `SELECT count(*), max(position), string_agg(kind, ''),
                string_agg(data, $2) || $2, string_agg(metadata, $2) || $2
           FROM (SELECT position, ${KIND} AS kind, data, metadata
                   FROM store_orders.events
                   WHERE position > $1 ORDER BY position LIMIT ${FACTS_A_CHUNK}) AS next`,
};

type Row = [count: number, last: number, kinds: string, data: string, metadata: string];

/** The events of PostgreSQL for folds. While one chunk is folded, the next ones are on their way. */
export function factsOfPostgres(db: Queryable): FactSource {
  const chunkAfter = readAhead((after) => readChunk(db, after));
  return new ChunkedFacts(chunkAfter, (after, count) => readStored(db, after, count));
}

async function readChunk(db: Queryable, after: number): Promise<FactChunk> {
  const [row] = await db.query<Row>(SELECT, [after, END]);
  const [count, last, kinds, data, metadata] = row as Row;
  const bytesOf = (text: string) => (count === 0 ? new Uint8Array() : Buffer.from(text));
  return [count, last, kinds, bytesOf(data), bytesOf(metadata)];
}
