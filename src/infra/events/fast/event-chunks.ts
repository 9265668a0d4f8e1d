/**
 * The sources of events for folds, a thousand events at a time, because transferring a value from
 * an engine takes longer than parsing it: one statement returns the bytes of all, which are parsed
 * in place. The codec reads the events that the parser does not.
 */

import type { FoldInput } from '../../../app/log/recorded-event.ts';
import type { FoldSource } from '../../../app/ports/event-log.ts';
import { END, EventParser } from './event-parser.ts';

/** Events per chunk: enough to make one cheap, too few to block the event loop. */
const CHUNK_EVENTS = 1_000;

/**
 * Chunks in flight from PostgreSQL while one is folded. With one, the database is idle from
 * each answer to the next request: with three, events are folded 1.6 times as fast.
 */
const CHUNKS_AHEAD = 3;

/** The bytes of up to {@link CHUNK_EVENTS} events. With a count of 0, the rest is unspecified. */
type EventChunk = readonly [count: number, lastPosition: number, bytes: Buffer];

type MaybeLater<Value> = Value | Promise<Value>;

/** Returns the SQL of an event's bytes, for every engine. A null adds none: it is not parsed. */
function bytesInSql(end: string): string {
  return `concat(type, ' ', schema_version, ' ', version, ${end}, data, ${end}, metadata, ${end})`;
}

/** The part of a better-sqlite3 connection that is used here. */
interface SqliteConnection {
  prepare(sql: string): { raw(): { get(parameters: object): unknown } };
}

/**
 * Returns the source of events of SQLite.
 * @param codec A source of the same events that reads them by the codec.
 * @param guarded Calls a function and translates what SQLite throws.
 */
export function sqliteFoldSource(
  db: SqliteConnection,
  codec: FoldSource,
  guarded: <Value>(read: () => Value) => Value,
): FoldSource {
  // An aggregate takes rows in the order in which they are read, which is by position: SQLite scans
  // the range of the table from one end to the other.
  const select = db
    .prepare(
      `SELECT count(*), max(position), CAST(group_concat(${bytesInSql('$end')}, '') AS BLOB)
         FROM events WHERE position > $after AND position <= $after + ${CHUNK_EVENTS}`,
    )
    .raw();
  const chunkAfter = (after: number) => guarded(() => select.get({ after, end: END }));
  return new ChunkedEvents((after) => chunkAfter(after) as EventChunk, codec);
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
  return new ChunkedEvents(chunkAfter, codec);
}

/** A source that parses events chunk by chunk, and falls back on the codec. */
class ChunkedEvents implements FoldSource {
  readonly #chunkAfter: (after: number) => MaybeLater<EventChunk>;
  readonly #codec: FoldSource;

  /** @param chunkAfter Reads the first {@link CHUNK_EVENTS} events after a position. */
  constructor(chunkAfter: (after: number) => MaybeLater<EventChunk>, codec: FoldSource) {
    this.#chunkAfter = chunkAfter;
    this.#codec = codec;
  }

  async next(after: number, take: (input: FoldInput) => boolean): Promise<number> {
    const [count, lastPosition, bytes] = await this.#chunkAfter(after);
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
}

/**
 * Returns a reader of chunks that reads the next ones ahead while one is folded.
 * @param read Reads the chunk after a position.
 */
function readAhead(
  read: (after: number) => Promise<EventChunk>,
): (after: number) => Promise<EventChunk> {
  let ahead: { readonly after: number; readonly chunk: Promise<EventChunk> }[] = [];
  const chunkAfter = async (after: number): Promise<EventChunk> => {
    const first = ahead.shift();
    const known = first?.after === after ? first.chunk : undefined;
    if (known === undefined) ahead = [];
    const found = await (known ?? read(after));
    const [count] = found;
    if (count < CHUNK_EVENTS) {
      ahead = [];
      // Events may have been appended since an empty chunk was read ahead.
      return count === 0 && known !== undefined ? chunkAfter(after) : found;
    }
    while (ahead.length < CHUNKS_AHEAD) {
      const next = after + CHUNK_EVENTS * (ahead.length + 1);
      const chunk = read(next);
      // It may fail after the reader has stopped.
      chunk.catch(() => undefined);
      ahead.push({ after: next, chunk });
    }
    return found;
  };
  return chunkAfter;
}
