import { setTimeout } from 'node:timers/promises';
import { verifyReceipt } from '../../../src/app/audit/proofs/verifier.ts';

/**
 * Clients that cancel pending orders in batches, each batch as soon as the previous one is answered, and
 * print how many orders were cancelled, and in which time. A batch that the service is too busy for is
 * sent again after the time that the refusal states.
 */

export interface BatchCancelOrder {
  /** The address of the collection of orders. */
  readonly orders: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** The orders of each request. */
  readonly size: number;
  /** The first id, and the one after the last. No other load may use them. */
  readonly first: number;
  readonly end: number;
  readonly seconds: number;
  /** The log's verifier key: after each batch the receipt of its last event is verified. */
  readonly vkey?: string | undefined;
}

export interface BatchCancelSeen {
  readonly cancelled: number;
  /** How often a batch was refused because the service was too busy. */
  readonly refused: number;
  /** The times from the answer of a batch to the verified receipt of its last event, in milliseconds. */
  readonly provenMs: readonly number[];
  readonly seconds: number;
  /** The first id that was not used. */
  readonly next: number;
}

const given = JSON.parse(process.argv[2] as string) as BatchCancelOrder;
const { orders, headers, connections, size, first, end, seconds, vkey } = given;
const begun = performance.now();
let next = first;
let cancelled = 0;
let refused = 0;
const provenMs: number[] = [];

await Promise.all(Array.from({ length: connections }, cancelInBatches));
const took = (performance.now() - begun) / 1_000;
const seen: BatchCancelSeen = { cancelled, refused, provenMs, seconds: took, next };
process.stdout.write(JSON.stringify(seen));

async function cancelInBatches(): Promise<void> {
  while (performance.now() < begun + seconds * 1_000 && next + size <= end) {
    const from = next;
    next += size;
    const orderIds = Array.from({ length: size }, (_, index) => `${from + index}`);
    const response = await sentUntilTaken(JSON.stringify({ orderIds }));
    const { succeeded, ...rest } = (await response.json()) as { succeeded: number };
    if (succeeded !== size) throw new Error(`${response.status} ${JSON.stringify(rest)}`);
    cancelled += succeeded;
    if (vkey !== undefined) await prove(from + size - 1, vkey);
  }
}

async function sentUntilTaken(body: string): Promise<Response> {
  const request = {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  };
  for (;;) {
    const response = await fetch(`${orders}:batchCancel`, request);
    if (response.status !== 503) return response;
    refused += 1;
    await response.body?.cancel();
    await setTimeout(Number(response.headers.get('Retry-After')) * 1_000);
  }
}

/** The receipt proves the whole batch: its last event is in the tree, and so are those before it. */
async function prove(orderId: number, key: string): Promise<void> {
  const answeredAt = performance.now();
  const response = await fetch(`${orders}/${orderId}/receipt`, { headers });
  const verdict = verifyReceipt(await response.text(), key);
  if (!verdict.ok) throw new Error(`${response.status}: ${verdict.reason}`);
  provenMs.push(performance.now() - answeredAt);
}
