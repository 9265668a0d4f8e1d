import type { KeptOutcome } from '../../app/ports/event-log.ts';
import type { OrderId } from '../../domain/order-id.ts';
import type { StoredEvent } from '../event-codec.ts';
import type { Statement } from './database.ts';
import { columnsOf } from './kept-outcomes-table.ts';
import type { Growth } from './merkle-tables.ts';
import { CHANNEL } from './schema.ts';

/** Begins a transaction that sees, behind the lock, what others have committed before it. */
export const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';

/** Everything that a batch records, in one statement. Its values: {@link valuesOf}. */
export const WRITE: Statement = {
  name: 'write',
  text: `
    WITH added AS (
      INSERT INTO store_orders.events
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::integer[], $4::text[],
                             $5::integer[], $6::text[], $7::text[])
    ), kept AS (
      INSERT INTO store_orders.kept_outcomes
        SELECT * FROM unnest($8::text[], $9::text[], $10::text[],
                             $11::bigint[], $12::integer[], $13::text[])
    ), nodes AS (
      INSERT INTO store_orders.tree_nodes
        SELECT * FROM unnest($14::integer[], $15::bigint[], $16::bytea[])
    ), grown AS (
      UPDATE store_orders.tree SET edge = $17 WHERE edge <> $17
    )
    SELECT pg_notify('${CHANNEL}', '')`,
};

export function valuesOf(
  events: readonly StoredEvent[],
  orderIds: readonly OrderId[],
  kept: readonly KeptOutcome[],
  { nodes, edge }: Growth,
): readonly unknown[] {
  return [
    events.map(({ position }) => position),
    orderIds,
    events.map(({ version }) => version),
    events.map(({ type }) => type),
    events.map(({ schemaVersion }) => schemaVersion),
    events.map(({ data }) => data),
    events.map(({ metadata }) => metadata),
    ...columnsOf(kept),
    ...nodes,
    edge,
  ];
}
