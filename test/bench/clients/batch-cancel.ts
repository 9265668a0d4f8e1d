/**
 * Clients that cancel pending orders in batches, each batch as soon as the previous one is answered, and
 * print how many orders were cancelled, and in which time.
 */

export interface BatchCancelOrder {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  /** The orders of each request. */
  readonly size: number;
  /** The first id, and the one after the last. No other load may use them. */
  readonly first: number;
  readonly end: number;
  readonly seconds: number;
}

export interface BatchCancelSeen {
  readonly cancelled: number;
  readonly seconds: number;
  /** The first id that was not used. */
  readonly next: number;
}

const given = JSON.parse(process.argv[2] as string) as BatchCancelOrder;
const { url, headers, connections, size, first, end, seconds } = given;
const begun = performance.now();
let next = first;
let cancelled = 0;

await Promise.all(Array.from({ length: connections }, cancelInBatches));
const took = (performance.now() - begun) / 1_000;
process.stdout.write(JSON.stringify({ cancelled, seconds: took, next } satisfies BatchCancelSeen));

async function cancelInBatches(): Promise<void> {
  while (performance.now() < begun + seconds * 1_000 && next + size <= end) {
    const from = next;
    next += size;
    const orderIds = Array.from({ length: size }, (_, index) => `${from + index}`);
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ orderIds }),
    });
    const { succeeded, ...rest } = (await response.json()) as { succeeded: number };
    if (succeeded !== size) throw new Error(`${response.status} ${JSON.stringify(rest)}`);
    cancelled += succeeded;
  }
}
