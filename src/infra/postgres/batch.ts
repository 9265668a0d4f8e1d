/** The statement that records a whole batch in PostgreSQL. */

import { sizeOf } from '../../app/log/merkle-tree.ts';
import {
  type RecordedEvent,
  recordedBehind,
  type StoredFields,
  tracesOf,
} from '../../app/log/recorded-event.ts';
import type { Decide, KeptOutcome } from '../../app/ports/event-log.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { decode, encode } from '../events/codec.ts';
import type { KeptInBatch } from '../events/kept-in-batch.ts';
import { byteas, int4s, int8s, texts } from './arrays.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { isDivisionByZero } from './connection/errors.ts';
import { tracesColumns } from './event-traces.ts';
import { columnsOf } from './kept-outcomes-table.ts';
import { type Growth, growth } from './merkle-tables.ts';
import { CHANNEL } from './schema.ts';

/** The state of the log that a batch is decided on. */
export interface Begun {
  readonly edge: Buffer;
  /** The events since the last decision of this instance. */
  readonly newer: readonly RecordedEvent[];
  readonly kept: KeptInBatch;
}

/** A statement that records a batch, and its values. */
type Write = readonly [Statement, readonly unknown[]];

/** The change that a batch makes to the log. */
export interface Change {
  readonly events: readonly RecordedEvent[];
  readonly stored: readonly StoredFields[];
  /** The edge of the log that it follows. If the log has another, the change cannot be recorded. */
  readonly follows: Buffer;
  readonly edge: Buffer;
  readonly write: Write;
  readonly kept: KeptInBatch;
  readonly notifies: boolean;
  /** True if nothing is recorded: every command was refused, or had been done before. */
  readonly isNothing: boolean;
}

/**
 * Returns the change to the log that follows from a decision.
 * @param isDue Returns true if other instances are to be notified of a change now.
 */
export function changeBy(
  { edge, newer, kept }: Begun,
  decide: Decide,
  isDue: () => boolean,
): Change {
  const decided = decide(newer, kept);
  const events = recordedBehind(sizeOf(edge), decided);
  const stored = events.map(encode);
  const grown = growth(edge, stored);
  const orderIds = events.map(({ event }) => event.orderId);
  const isNothing = events.length === 0 && kept.added.length === 0;
  const notifies = !isNothing && isDue();
  const beside = { kept: kept.added, traces: tracesOf(events) };
  const write = writeOf(edge, stored, orderIds, beside, grown, notifies);
  return { events, stored, follows: edge, edge: grown.edge, write, kept, notifies, isNothing };
}

/** The beginning of a transaction that sees, under the lock, every commit before it. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

/**
 * Returns the statement that records a whole batch and takes the log's lock itself. If the log's
 * edge is not the one that the batch follows, it records nothing and returns no row: another
 * instance has appended. If any row of the batch is not recorded, as behind a trigger that drops
 * it, the statement divides by zero, so that nothing is. {@link writeOf} lists its values.
 */
function writing(name: string, more = '', rows = ''): Statement {
  return {
    name,
    text: `
      WITH found AS (
        SELECT FROM store_orders.tree WHERE edge = $1 FOR UPDATE
      ), grown AS (
        UPDATE store_orders.tree SET edge = $2 FROM found WHERE edge <> $2 RETURNING 1
      ), added AS (
        INSERT INTO store_orders.events
          SELECT new.* FROM found, unnest($4::bigint[], $5::bigint[], $6::integer[], $7::text[],
                                          $8::integer[], $9::text[], $10::text[]) AS new
          RETURNING 1
      )${more}
      SELECT CASE WHEN $3 THEN pg_notify('${CHANNEL}', '') END,
             1 / (
               (SELECT count(*) FROM grown) = ($1 <> $2)::integer
               AND (SELECT count(*) FROM added) = cardinality($4)${rows}
             )::integer
        FROM found`,
  };
}

// Most batches record events only, and an INSERT of no rows takes time all the same.
const WRITE_EVENTS = writing('write_events');
const WRITE_ALL = writing(
  'write_all',
  `, kept AS (
        INSERT INTO store_orders.kept_outcomes
          SELECT new.* FROM found, unnest($11::text[], $12::text[], $13::text[],
                                          $14::bigint[], $15::integer[], $16::text[],
                                          $17::bytea[]) AS new
          RETURNING 1
      ), nodes AS (
        INSERT INTO store_orders.tree_nodes
          SELECT new.* FROM found, unnest($18::integer[], $19::bigint[], $20::bytea[]) AS new
          RETURNING 1
      ), traces AS (
        -- A row that somebody has put there must not stop the append of an event.
        INSERT INTO store_orders.event_traces
          SELECT new.* FROM found, unnest($21::bigint[], $22::text[]) AS new
          ON CONFLICT DO NOTHING
          RETURNING 1
      )`,
  `
               AND (SELECT count(*) FROM kept) = cardinality($11)
               AND (SELECT count(*) FROM nodes) = cardinality($18)
               AND (SELECT count(*) FROM traces) = cardinality($21) - (
                 SELECT count(*) FROM store_orders.event_traces WHERE position = ANY ($21))`,
);

/** The reason for {@link isDivisionByZero} of such a statement. */
const ROWS_DROPPED = 'the database drops rows of a batch: a trigger there is not of this store';

/**
 * Records a change. Returns false if the log is no longer the one that it follows. Throws if any
 * row is not recorded; then nothing is.
 */
export async function isWritten(connection: Queryable, write: Write): Promise<boolean> {
  try {
    return (await connection.query(...write)).length > 0;
  } catch (error) {
    if (isDivisionByZero(error)) error.message = ROWS_DROPPED;
    throw error;
  }
}

/**
 * Records events exactly as another store has recorded them, in a transaction that has locked the
 * log. Returns the log's new edge.
 */
export async function addRecorded(
  connection: Queryable,
  edge: Buffer,
  events: readonly StoredFields[],
  traces: ReadonlyMap<number, string> = new Map(),
): Promise<Buffer> {
  const orderIds = events.map((event) => decode(event).event.orderId);
  const grown = growth(edge, events);
  const write = writeOf(edge, events, orderIds, { kept: [], traces }, grown, true);
  if (!(await isWritten(connection, write))) throw new Error('the log has grown under its lock');
  return grown.edge;
}

/** The rows that are recorded beside events. */
interface Beside {
  readonly kept: readonly KeptOutcome[];
  readonly traces: ReadonlyMap<number, string>;
}

/** @param edge The edge of the log before the events. */
function writeOf(
  edge: Buffer,
  events: readonly StoredFields[],
  orderIds: readonly OrderId[],
  { kept, traces }: Beside,
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
  if (kept.length + heights.length + traces.size === 0) return [WRITE_EVENTS, values];
  const nodes = [int4s(heights), int8s(places), byteas(hashes)];
  const more = [...columnsOf(kept), ...nodes, ...tracesColumns(traces)];
  return [WRITE_ALL, [...values, ...more]];
}
