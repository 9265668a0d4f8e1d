/**
 * The sources of events for folds, a thousand events at a time, because transferring a value from
 * an engine takes longer than parsing it: one statement returns the bytes of all, which are parsed
 * in place. The codec reads the events that the parser does not.
 */

import type { FoldInput } from '../../../app/log/recorded-event.ts';
import type { FoldSource } from '../../../app/ports/event-log.ts';
import { END, EventParser } from './event-parser.ts';
import { type Aside, LongReads } from './long-reads.ts';
import { CHUNK_EVENTS, type EventChunk, readAhead } from './read-ahead.ts';

/** A reader of the first {@link CHUNK_EVENTS} events, or more, after a position. */
interface ChunkReader {
  chunkAfter(after: number): EventChunk | Promise<EventChunk>;
  close?(): Promise<void>;
}

/** Returns the SQL of an event's bytes, for every engine. A null adds none: it is not parsed. */
function bytesInSql(end: string): string {
  return `concat(type, ' ', schema_version, ' ', version, ${end}, data, ${end}, metadata, ${end})`;
}

// An aggregate takes rows in the order in which they are read, which is by position: SQLite scans
// the range of the table from one end to the other.
const SQLITE_CHUNK = `
  SELECT count(*), max(position), CAST(group_concat(${bytesInSql('$end')}, '') AS BLOB)
    FROM events WHERE position > $after AND position <= $to`;

/** The part of a better-sqlite3 connection that is used here. */
interface SqliteConnection {
  prepare(sql: string): { raw(): { get(parameters: object): unknown } };
}

/**
 * Returns the source of events of SQLite.
 * @param codec A source of the same events that reads them by the codec.
 * @param guarded Calls a function and translates what SQLite throws.
 * @param aside Prepares a statement in another thread, for long reads; absent: all are in this one.
 * @param afterChunks See {@link LongReads}.
 */
export function sqliteFoldSource(
  db: SqliteConnection,
  codec: FoldSource,
  guarded: <Value>(read: () => Value) => Value,
  aside?: (sql: string) => Aside,
  afterChunks?: number,
): FoldSource {
  const select = db.prepare(SQLITE_CHUNK).raw();
  const parameters = (after: number, count: number) => ({ after, to: after + count, end: END });
  const chunkAfter = (after: number) => {
    return guarded(() => select.get(parameters(after, CHUNK_EVENTS))) as EventChunk;
  };
  if (aside === undefined) return new ChunkedEvents({ chunkAfter }, codec);
  const start = () => aside(SQLITE_CHUNK);
  return new ChunkedEvents(new LongReads(chunkAfter, { start, parameters }, afterChunks), codec);
}

// An aggregate takes the rows of a sorted subquery in their order (PostgreSQL's manual, 9.21).
const POSTGRES_CHUNK = {
  name: 'event_chunk',
  text: `SELECT count(*), max(position), string_agg(event, '')
           FROM (SELECT position, ${bytesInSql('$2::text')} AS event
                   FROM store_orders.events
                   WHERE position > $1 ORDER BY position LIMIT ${CHUNK_EVENTS}) AS next`,
};

/** The part of a connection to PostgreSQL that is used here. */
interface PostgresConnection {
  query<Row extends readonly unknown[]>(
    statement: { readonly name: string; readonly text: string },
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/**
 * Returns the source of events of PostgreSQL.
 * @param codec A source of the same events that reads them by the codec.
 */
export function postgresFoldSource(db: PostgresConnection, codec: FoldSource): FoldSource {
  const chunkAfter = readAhead(async (after) => {
    const [row] = await db.query<[number, number, string | null]>(POSTGRES_CHUNK, [after, END]);
    const [count, lastPosition, text] = row as [number, number, string | null];
    return [count, lastPosition, Buffer.from(text ?? '')];
  });
  return new ChunkedEvents({ chunkAfter }, codec);
}

/** A source that parses events chunk by chunk, and falls back on the codec. */
class ChunkedEvents implements FoldSource {
  readonly #reader: ChunkReader;
  readonly #codec: FoldSource;

  constructor(reader: ChunkReader, codec: FoldSource) {
    this.#reader = reader;
    this.#codec = codec;
  }

  async next(after: number, take: (input: FoldInput) => boolean): Promise<number> {
    const [count, lastPosition, bytes] = await this.#reader.chunkAfter(after);
    let read = 0;
    // Positions are unique, so that a last one of `after + count` means that none is missing.
    if (count > 0 && lastPosition === after + count) {
      const parser = new EventParser(bytes);
      for (; read < count && parser.read(after + read + 1); read++) {
        if (!take(parser)) return read + 1;
      }
      if (read === count) return read;
    }
    // The end of the log, a gap, or an event that only the schema can read.
    return read + (await this.#codec.next(after + read, take));
  }
  async close(): Promise<void> {
    await this.#reader.close?.();
  }
}
