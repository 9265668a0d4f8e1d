import fc from 'fast-check';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { leafHash } from '../../src/app/log/merkle-tree.ts';
import { canonicalJson } from './canonical-json.ts';

/** Receipts of records that a log has signed whatever they are: each has the members of a record. */

const signer = new NoteSigner('log.example', Buffer.alloc(32, 7));

/** The public key of these receipts. */
export const SIGNED_RECORDS_KEY = signer.verifierKey;

/** Returns the receipt of the only event of a log. */
export function receiptOfRecord(record: string): string {
  return receiptOf(record, [], signer.signCheckpoint(1, leafHash(record)));
}

const GENUINE = {
  data: { orderId: '8' },
  metadata: { at: '2026-03-01T12:00:00.000Z', by: 'Hs6IzlXByd', commandId: 'command-1' },
  position: 1,
  schemaVersion: 1,
  type: 'OrderCancelled',
  version: 2,
};

/** Returns the record of an event, with other members. */
export function recordWith(members: object): string {
  return canonicalJson({ ...GENUINE, ...members });
}

const ODD = fc.oneof(
  fc.constantFrom(null, true, 1, 'OrderCancelled', '8', [], {}, { toString: 1 }, { orderId: 8 }),
  fc.constantFrom({ orderId: '8', Event: 'x' }, { at: 1 }, ['8'], GENUINE.data, GENUINE.metadata),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Any record at position 1. */
export const anyRecord = fc
  .record(
    { data: ODD, metadata: ODD, schemaVersion: ODD, type: ODD, version: ODD },
    {
      requiredKeys: [],
      noNullPrototype: true,
    },
  )
  .map(recordWith);
