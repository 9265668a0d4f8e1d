import { readFileSync } from 'node:fs';

/** An event as stored by some version of the service. */
export interface GoldenEvent {
  readonly type: string;
  readonly schemaVersion: number;
  readonly data: string;
  readonly metadata: string;
}

/** The stored events of each type and schema version. The files are append-only. */
export function storedEvents(file: string): GoldenEvent[] {
  const url = new URL(`../fixtures/events/${file}`, import.meta.url);
  const lines = readFileSync(url, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as GoldenEvent);
}

type Meaning = { readonly event: object; readonly metadata: object };

const key = 'k0Aa1Bb2Cc';

/** The decoded form of each stored event, in the order of its file. */
export const MEANINGS: Record<string, readonly Meaning[]> = {
  'OrderPlaced.v1.ndjson': [
    {
      event: { type: 'OrderPlaced', orderId: 1n, petId: 42n, quantity: 3 },
      metadata: { at: '2024-02-29T08:00:00.000Z', by: 'import', commandId: 'row-1' },
    },
    {
      event: {
        type: 'OrderPlaced',
        orderId: 9223372036854775807n,
        petId: -9007199254740991n,
        quantity: 2147483647,
        shipDate: '2024-03-01T00:00:00.000Z',
      },
      metadata: { at: '2024-02-29T08:00:00.001Z', by: 'import', commandId: 'row-2' },
    },
  ],
  'OrderPlaced.v2.ndjson': [
    {
      event: {
        type: 'OrderPlaced',
        orderId: 9007199254740993n,
        petId: -9223372036854775808n,
        quantity: 1,
      },
      metadata: { at: '2026-01-01T12:00:00.000Z', by: key, commandId: '7b1c6a0e' },
    },
    {
      event: {
        type: 'OrderPlaced',
        orderId: -1n,
        petId: 0n,
        quantity: 2147483647,
        shipDate: '9999-12-31T23:59:59.999Z',
      },
      metadata: { at: '2026-01-01T12:00:00.000Z', by: key, commandId: '"Ünï\\\n🐶' },
    },
  ],
  'OrderShipped.v1.ndjson': [
    {
      event: {
        type: 'OrderShipped',
        orderId: 9007199254740993n,
        shipDate: '2026-01-02T00:00:00.000Z',
      },
      metadata: { at: '2026-01-02T12:00:00.000Z', by: key, commandId: '' },
    },
  ],
  'OrderCancelled.v1.ndjson': [
    {
      event: { type: 'OrderCancelled', orderId: -9223372036854775808n },
      metadata: { at: '2026-01-03T12:00:00.000Z', by: key, commandId: 'again' },
    },
  ],
  'OrderCancelled.v2.ndjson': [
    {
      event: { type: 'OrderCancelled', orderId: 9223372036854775807n, reason: 'customer_request' },
      metadata: { at: '2026-11-24T12:00:00.000Z', by: key, commandId: '7b1c6a0e' },
    },
    {
      event: { type: 'OrderCancelled', orderId: 1n, reason: 'other' },
      metadata: { at: '2026-11-24T12:00:00.001Z', by: 'import', commandId: 'row-1' },
    },
  ],
};
