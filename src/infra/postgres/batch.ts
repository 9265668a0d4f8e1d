import type { Decide, KeptOutcome } from '../../app/ports/event-log.ts';
import type { RecordedEvent } from '../../app/recorded-event.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { decode, encode, type StoredEvent } from '../event-codec.ts';
import type { KeptInBatch } from '../kept-in-batch.ts';
import { byteas, int4s, int8s, texts } from './arrays.ts';
import type { Queryable, Statement } from './database.ts';
import { columnsOf } from './kept-outcomes-table.ts';
import { type Growth, growth, sizeOf } from './merkle-tables.ts';
import { CHANNEL } from './schema.ts';

/** What a batch begins with: the log, as far as it matters. */
export interface Begun {
  readonly edge: Buffer;
  /** The events that the batch's decisions have to know of, and do not yet. */
  readonly newer: readonly RecordedEvent[];
  readonly kept: KeptInBatch;
}

/** A statement that records a batch, and its values. */
type Write = readonly [Statement, readonly unknown[]];

/** What a batch adds to what was begun. */
export interface Change {
  readonly events: readonly RecordedEvent[];
  readonly stored: readonly StoredEvent[];
  /** The edge of the log that it follows: without it, there is no room for the change any more. */
  readonly follows: Buffer;
  readonly edge: Buffer;
  readonly write: Write;
  readonly kept: KeptInBatch;
  /** Whether others are told of it. */
  readonly notifies: boolean;
  /** Whether there is nothing to record: all that was asked for was refused, or done before. */
  readonly isNothing: boolean;
}

/** @param isDue Whether a change that is recorded now is to be told others. */
export function changeBy(
  { edge, newer, kept }: Begun,
  decide: Decide,
  isDue: () => boolean,
): Change {
  const decided = decide(newer, kept);
  const head = sizeOf(edge);
  const events = decided.map((event, index) => ({ position: head + 1 + index, ...event }));
  const stored = events.map(encode);
  const grown = growth(edge, stored);
  const orderIds = events.map(({ event }) => event.orderId);
  const isNothing = events.length === 0 && kept.added.length === 0;
  const notifies = !isNothing && isDue();
  const write = writeOf(edge, stored, orderIds, kept.added, grown, notifies);
  return { events, stored, follows: edge, edge: grown.edge, write, kept, notifies, isNothing };
}

/** Begins a transaction that sees, behind the lock, what others have committed before it. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

/**
 * Everything that a batch records, in one statement, which takes the log's lock by itself. It does
 * nothing, and has no row, where the log's edge is not the one that it is to follow: then somebody
 * else has appended. Its values: {@link writeOf}.
 */
function writing(name: string, more = ''): Statement {
  return {
    name,
    text: `
      WITH found AS (
        SELECT FROM store_orders.tree WHERE edge = $1 FOR UPDATE
      ), grown AS (
        UPDATE store_orders.tree SET edge = $2 FROM found WHERE edge <> $2
      ), added AS (
        INSERT INTO store_orders.events
          SELECT new.* FROM found, unnest($4::bigint[], $5::bigint[], $6::integer[], $7::text[],
                                          $8::integer[], $9::text[], $10::text[]) AS new
      )${more}
      SELECT CASE WHEN $3 THEN pg_notify('${CHANNEL}', '') END FROM found`,
  };
}

// Most batches have nothing but events, and a table that nothing goes into takes time all the same.
const WRITE_EVENTS = writing('write_events');
const WRITE_ALL = writing(
  'write_all',
  `, kept AS (
        INSERT INTO store_orders.kept_outcomes
          SELECT new.* FROM found, unnest($11::text[], $12::text[], $13::text[],
                                          $14::bigint[], $15::integer[], $16::text[],
                                          $17::bytea[]) AS new
      ), nodes AS (
        INSERT INTO store_orders.tree_nodes
          SELECT new.* FROM found, unnest($18::integer[], $19::bigint[], $20::bytea[]) AS new
      )`,
);

/** Records a change. False where the log is not the one any more that it is to follow. */
export async function isWritten(connection: Queryable, { write }: Change): Promise<boolean> {
  return (await connection.query(...write)).length > 0;
}

/**
 * Records events exactly as another store has recorded them, in a transaction that has locked the
 * log. Returns the log's new edge.
 */
export async function addRecorded(
  connection: Queryable,
  edge: Buffer,
  events: readonly StoredEvent[],
): Promise<Buffer> {
  const orderIds = events.map((event) => decode(event).event.orderId);
  const grown = growth(edge, events);
  const written = await connection.query(...writeOf(edge, events, orderIds, [], grown, true));
  if (written.length === 0) throw new Error('the log has grown under its lock');
  return grown.edge;
}

/** @param edge The edge of the log that is to be added to. */
function writeOf(
  edge: Buffer,
  events: readonly StoredEvent[],
  orderIds: readonly OrderId[],
  kept: readonly KeptOutcome[],
  grown: Growth,
  notifies: boolean,
): Write {
  const values = [
    edge,
    grown.edge,
    notifies,
    int8s(events.map(({ position }) => position)),
    int8s(orderIds),
    int4s(events.map(({ version }) => version)),
    texts(events.map(({ type }) => type)),
    int4s(events.map(({ schemaVersion }) => schemaVersion)),
    texts(events.map(({ data }) => data)),
    texts(events.map(({ metadata }) => metadata)),
  ];
  const [heights, places, hashes] = grown.nodes;
  if (kept.length === 0 && heights.length === 0) return [WRITE_EVENTS, values];
  const more = [...columnsOf(kept), int4s(heights), int8s(places), byteas(hashes)];
  return [WRITE_ALL, [...values, ...more]];
}
