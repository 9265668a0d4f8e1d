/** The outcomes of commands with idempotency keys in PostgreSQL. */

import type { KeptOutcome, OutcomeName } from '../../app/ports/event-log.ts';
import { KeptInBatch, nameText } from '../events/kept-in-batch.ts';
import { type KeptRow, keptIn, keptRow } from '../events/row-mapping.ts';
import { byteas, int4s, int8s, texts } from './arrays.ts';
import type { Queryable, Statement } from './connection/connection.ts';

const COLUMNS = 'asked_by, key, fingerprint, order_id::text, version, refusal, checksum';

const SELECT: Statement = {
  name: 'kept_outcomes',
  text: `SELECT ${COLUMNS}
           FROM store_orders.kept_outcomes
           JOIN unnest($1::text[], $2::text[]) AS asked (asked_by, key) USING (asked_by, key)`,
};

const SELECT_AFTER: Statement = {
  name: 'kept_outcomes_after',
  text: `SELECT ${COLUMNS}
           FROM store_orders.kept_outcomes
           WHERE (asked_by, key) > ($1, $2) ORDER BY asked_by, key LIMIT $3`,
};

/** Returns the outcomes recorded under some names. */
export async function readKept(db: Queryable, names: readonly OutcomeName[]): Promise<KeptInBatch> {
  const found = new Map<string, KeptOutcome>();
  if (names.length > 0) {
    const columns = [texts(names.map(({ by }) => by)), texts(names.map(({ key }) => key))];
    for (const row of await db.query<Row>(SELECT, columns)) {
      const kept = keptOf(row);
      found.set(nameText(kept), kept);
    }
  }
  return new KeptInBatch(names, (name) => found.get(nameText(name)));
}

/** Returns the first outcomes after a name, in the order of names. */
export async function readKeptAfter(
  db: Queryable,
  { by, key }: OutcomeName,
  limit: number,
): Promise<readonly KeptOutcome[]> {
  return (await db.query<Row>(SELECT_AFTER, [by, key, limit])).map(keptOf);
}

/** Returns the columns of outcomes that are to be recorded. */
export function columnsOf(outcomes: readonly KeptOutcome[]): readonly Buffer[] {
  const rows = outcomes.map(keptRow);
  return [
    texts(rows.map(([by]) => by)),
    texts(rows.map(([, key]) => key)),
    texts(rows.map(([, , fingerprint]) => fingerprint)),
    int8s(rows.map(([, , , orderId]) => orderId)),
    int4s(rows.map(([, , , , version]) => version as number | null)),
    texts(rows.map(([, , , , , refusal]) => refusal)),
    byteas(rows.map(([, , , , , , checksum]) => checksum)),
  ];
}

type Row = [
  by: string,
  key: string,
  fingerprint: string,
  orderId: string | null,
  ...more: [KeptRow[4], KeptRow[5], KeptRow[6]],
];

function keptOf([by, key, fingerprint, orderId, ...more]: Row): KeptOutcome {
  return keptIn([by, key, fingerprint, orderId === null ? null : BigInt(orderId), ...more]);
}
