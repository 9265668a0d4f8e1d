import type { OrderId } from '../../../src/domain/order-id.ts';
import { cursorAfter } from '../../../src/http/requests/cursor.ts';
import type { PagesOrder, PagesSeen } from '../clients/pages.ts';
import { mainThreadCpu } from '../linux.ts';
import { runProgram } from '../processes.ts';
import { interleave } from '../rounds.ts';
import { atMost, figure, judge, median, percentile, type Row } from '../row.ts';
import { countOf, type Scenario } from '../scenario.ts';
import { BEARER, fetchBytes, type Product, startProduct } from '../servers.ts';

const ORDERS_V2 = '/v2/store/orders';
const PAGE = { limit: '100' };

/** One page of version 2 from the largest store: the time to its last byte. */
export const v2Page: Scenario = {
  name: 'v2-page',
  isQuick: false,
  steps: ({ rounds }) => rounds * 6,
  async run(bench, advance) {
    await using product = await startProduct(await bench.stores.lived(bench.orders));
    const queries = await queriesFor(product, bench.orders);
    const contenders = queries.map(([, query, found]) => ({
      measure: () => measure(product, query, found, bench.seconds / 2),
    }));
    // The first round is a warm-up.
    const rounds = await interleave(contenders, bench.rounds + 1, () => undefined);
    return queries.map(([what], index) => {
      advance();
      return rowOf(`page of v2, ${countOf(bench.orders)}: ${what}`, (rounds[index] ?? []).slice(1));
    });
  },
};

interface Measured extends PagesSeen {
  /** CPU time of the server's main thread for a page, in microseconds. */
  readonly cpu: number;
}

type Query = readonly [what: string, query: Record<string, string>, found: number];

/** Queries from those whose orders are found at once to those that find none. */
async function queriesFor(product: Product, orders: number): Promise<readonly Query[]> {
  const cursor = (id: number) => cursorAfter({ id: BigInt(id) as OrderId, asOf: undefined }, {});
  const { placedAt = '' } = (await pageOf(product, { after: cursor(orders - 1) }))[0] ?? {};
  const nobody = { petId: '4711' };
  const late = { placedFrom: placedAt, placedTo: '9999-01-01T00:00:00Z' };
  return [
    ['the first', PAGE, 100],
    ['from the middle', { ...PAGE, after: cursor(orders / 2) }, 100],
    ['a thousand orders', { limit: '1000' }, 1_000],
    ['of the last orders', { ...PAGE, ...late }, 100],
    ['of a pet that nobody ordered', { ...PAGE, ...nobody }, 0],
    [
      'by every filter, none of which lets any through',
      {
        ...PAGE,
        complete: 'false',
        status: 'pending',
        shipDateFrom: '2000-01-01T00:00:00Z',
        ...late,
        ...nobody,
      },
      0,
    ],
  ];
}

async function pageOf(product: Product, query: Record<string, string>) {
  const { body } = await fetchBytes(product, addressOf(query));
  return JSON.parse(body.toString()).data as readonly { readonly placedAt: string }[];
}

function addressOf(query: Record<string, string>): string {
  return `${ORDERS_V2}?${new URLSearchParams(query)}`;
}

async function measure(
  product: Product,
  query: Record<string, string>,
  expected: number,
  seconds: number,
): Promise<Measured> {
  const { length } = await pageOf(product, query);
  // A small store may have fewer orders than a page.
  if (length > expected || (length === 0 && expected > 0)) {
    throw new Error(`${length} orders instead of ${expected} for ${JSON.stringify(query)}`);
  }
  const order: PagesOrder = {
    urls: [`${product.address}${addressOf(query)}`],
    headers: { ...BEARER, 'Accept-Encoding': 'identity' },
    seconds,
  };
  const before = mainThreadCpu(product.pid) ?? Number.NaN;
  const { latencies } = await runProgram<PagesSeen>('clients/pages', order, seconds + 60);
  const after = mainThreadCpu(product.pid) ?? Number.NaN;
  return { latencies, cpu: (after - before) / latencies.length };
}

function rowOf(name: string, rounds: readonly Measured[]): Row {
  const latencies = rounds.flatMap((round) => round.latencies);
  const [p50, p99] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  const target = atMost(10, 5);
  return {
    name: `${name}: p99`,
    measured: `${figure(p99)} ms`,
    reference: `p50: ${figure(p50)} ms`,
    value: p99,
    unit: ' ms',
    target,
    cpu: figure(median(rounds.map(({ cpu }) => cpu))),
    verdict: judge(p99, target),
    samples: { measured: latencies },
  };
}
