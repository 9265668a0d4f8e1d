import type { KeptOutcome, OutcomeName } from '../../app/ports/event-log.ts';
import type { Decided, Refusal } from '../../app/submission.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { KeptInBatch, nameOf } from '../kept-in-batch.ts';
import type { Queryable, Statement } from './database.ts';

const SELECT: Statement = {
  name: 'kept_outcomes',
  text: `SELECT asked_by, key, fingerprint, order_id::text, version, refusal
           FROM store_orders.kept_outcomes
           JOIN unnest($1::text[], $2::text[]) AS asked (asked_by, key) USING (asked_by, key)`,
};

/** What was kept of what is asked for. */
export async function readKept(db: Queryable, asked: readonly OutcomeName[]): Promise<KeptInBatch> {
  const found = new Map<string, KeptOutcome>();
  if (asked.length > 0) {
    const names = [asked.map(({ by }) => by), asked.map(({ key }) => key)];
    for (const row of await db.query<Row>(SELECT, names)) {
      const [by, key, fingerprint] = row;
      found.set(nameOf({ by, key }), { by, key, fingerprint, decided: decidedIn(row) });
    }
  }
  return new KeptInBatch(asked, (name) => found.get(nameOf(name)));
}

/** The columns of outcomes that are to be kept. */
export function columnsOf(outcomes: readonly KeptOutcome[]): readonly unknown[][] {
  const decided = outcomes.map((outcome) => outcome.decided);
  return [
    outcomes.map(({ by }) => by),
    outcomes.map(({ key }) => key),
    outcomes.map(({ fingerprint }) => fingerprint),
    decided.map((each) => (each.kind === 'accepted' ? each.orderId : null)),
    decided.map((each) => (each.kind === 'accepted' ? each.version : null)),
    decided.map((each) => (each.kind === 'rejected' ? each.reason : null)),
  ];
}

type Row = [
  by: string,
  key: string,
  fingerprint: string,
  orderId: string,
  version: number,
  refusal: Refusal | null,
];

function decidedIn([, , , orderId, version, refusal]: Row): Decided {
  return refusal === null
    ? { kind: 'accepted', orderId: BigInt(orderId) as OrderId, version }
    : { kind: 'rejected', reason: refusal };
}
