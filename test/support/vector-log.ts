import { hash } from 'node:crypto';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { recordOf } from '../../src/app/log/recorded-event.ts';
import { MemoryTree } from './memory-tree.ts';

/** The log of five events of which the published vectors of receipts are. */

/** A receipt, a public key, and the verdict that a verifier must return. */
export interface Vector {
  readonly what: string;
  readonly key: string;
  readonly receipt: string;
  /** The record that it proves; absent if it proves nothing. */
  readonly record?: string;
}

/** The private key of {@link signer}. */
export const SEED = Buffer.alloc(32, 7);
export const signer = new NoteSigner('store-orders/0123456789abcdef', SEED);

const EVENTS: readonly (readonly [type: string, data: string, version: number, by?: string])[] = [
  ['OrderPlaced', '{"orderId":"7","petId":"1016","quantity":1}', 1],
  ['OrderPlaced', '{"orderId":"8","petId":"9223372036854775807","quantity":2}', 1],
  ['OrderShipped', '{"orderId":"7","shipDate":"2026-03-01T09:00:00.000Z"}', 2],
  ['OrderCancelled', '{"orderId":"8"}', 2],
  ['OrderPlaced', '{"orderId":"9","petId":"3","quantity":1}', 1, 'Ünï "🐶" \\ \n'],
];

export const records: readonly string[] = EVENTS.map(
  ([type, data, version, by = 'Hs6IzlXByd'], index) => {
    const at = `2026-03-0${index + 1}T12:00:00.000Z`;
    const metadata = JSON.stringify({ at, by, commandId: `command-${index + 1}` });
    const schemaVersion = type === 'OrderPlaced' ? 2 : 1;
    return recordOf({ position: index + 1, version, type, schemaVersion, data, metadata });
  },
);

/** The log's first events, or a log of other records, signed whatever they are. */
export function logOf(size: number, given: readonly string[] = records) {
  const tree = new MemoryTree([...given.slice(0, size)]);
  const root = tree.frontier.root();
  const note = signer.signCheckpoint(size, root);
  return {
    root,
    note,
    proofOf: (position: number) => tree.inclusion(position - 1),
    receipt: async (position: number, checkpoint = note) =>
      receiptOf(given[position - 1] as string, await tree.inclusion(position - 1), checkpoint),
  };
}

/** Returns a line of a note: a name, and the bytes of an id and a signature. */
export function lineOf(name: string, ...bytes: readonly Uint8Array[]): string {
  return `— ${name} ${Buffer.concat(bytes).toString('base64')}\n`;
}

/** Returns the four bytes by which a note names a key: `bytes` are its type and the key. */
export function keyIdOf(name: string, bytes: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), bytes]);
  return hash('sha256', named, 'buffer').subarray(0, 4);
}
