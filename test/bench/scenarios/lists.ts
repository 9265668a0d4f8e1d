import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../processes.ts';
import { type Advance, compareRates, interleave, type Measured, measureLoad } from '../rounds.ts';
import { atLeast, type Row, rowFor, Skip, type Target } from '../row.ts';
import { type Bench, countOf, type Scenario, warmUpOf } from '../scenario.ts';
import {
  type Fetched,
  fetchBytes,
  ORDERS,
  type Product,
  type Server,
  startProduct,
  startServer,
} from '../servers.ts';

/** Lists of every size, compared with a static buffer of the same bytes. */
export const lists: Scenario = {
  name: 'lists',
  isQuick: true,
  steps: (bench) => sizesOf(bench).length * bench.rounds * 2,
  async run(bench, advance) {
    const rows: Row[] = [];
    for (const size of sizesOf(bench)) rows.push(await listRow(bench, size, advance));
    return rows;
  },
};

/** The list for clients that accept gzip, compared with a static buffer of the same bytes. */
export const gzip: Scenario = {
  name: 'gzip',
  isQuick: false,
  steps: ({ rounds }) => rounds * 2,
  async run(bench, advance) {
    const orders = bench.orders / 10;
    await using product = await startProduct(await bench.stores.pending(orders));
    const plain = await list(product);
    const packed = await list(product, GZIP);
    const name = `list, gzip, ${countOf(orders)}`;
    if (packed.encoding !== 'gzip') {
      return [rowFor(name, new Skip('the product answers without Content-Encoding: gzip'))];
    }
    const share = Math.round((packed.body.length / plain.body.length) * 100);
    const size = { orders, connections: 4, target: atLeast(0.7, 1) };
    const row = await compareWithStatic(bench, product, packed, size, name, advance);
    return [{ ...row, note: `${share} % of the plain list's bytes` }];
  },
};

const GZIP = { 'Accept-Encoding': 'gzip' };
const PLAIN = { 'Accept-Encoding': 'identity' };

interface Size {
  readonly orders: number;
  readonly connections: number;
  readonly target: Target;
}

// The largest list is sent to one client at a time.
function sizesOf({ orders, quick }: Bench): readonly Size[] {
  const sizes = [
    { orders: orders / 1_000, connections: 4, target: atLeast(0.65, 0.9) },
    { orders: orders / 100, connections: 4, target: atLeast(0.85, 1) },
    { orders: orders / 10, connections: 4, target: atLeast(0.65, 1) },
    { orders, connections: 1, target: atLeast(0.85, 1) },
  ];
  return quick ? sizes.slice(2) : sizes;
}

async function listRow(bench: Bench, size: Size, advance: Advance): Promise<Row> {
  await using product = await startProduct(await bench.stores.pending(size.orders));
  return await compareList(bench, product, size, `list, ${countOf(size.orders)}`, advance);
}

/** Compares the list of a product with a static buffer of the same bytes. */
export async function compareList(
  bench: Bench,
  product: Product,
  size: Size,
  name: string,
  advance: Advance,
): Promise<Row> {
  return compareWithStatic(bench, product, await list(product), size, name, advance);
}

async function compareWithStatic(
  bench: Bench,
  product: Product,
  fetched: Fetched,
  { connections, target, orders }: Size,
  name: string,
  advance: Advance,
): Promise<Row> {
  await using twin = await startStatic(fetched);
  const headers = fetched.encoding === undefined ? PLAIN : GZIP;
  const requests = { method: 'GET', path: ORDERS, headers } as const;
  const send = (server: Server, seconds: number) =>
    measureLoad(bench.generator, server, requests, { connections, seconds });
  const contenders = [product, twin].map((server) => ({
    measure: () => send(server, bench.seconds),
  }));
  for (const server of [product, twin]) await send(server, warmUpOf(bench));
  const [measured = [], reference = []] = await interleave(contenders, bench.rounds, advance);
  if (measured.some(({ failed }) => failed > 0)) throw new Error('some lists failed');
  // A round has few responses of the largest list, so bytes are counted for precision.
  const rateOf =
    orders === bench.orders
      ? ({ bytes, seconds }: Measured) => bytes / seconds / fetched.body.length
      : ({ rate }: Measured) => rate;
  return compareRates(
    name,
    { name: product.name, rounds: measured, rateOf },
    { name: twin.name, rounds: reference, rateOf },
    target,
  );
}

async function startStatic({ body, encoding }: Fetched): Promise<Server> {
  const file = join(newFolder(), 'list');
  writeFileSync(file, body);
  const given = encoding === undefined ? [file] : [file, encoding];
  return startServer('static buffer', 'static-list', given);
}

async function list(product: Product, headers: Record<string, string> = PLAIN): Promise<Fetched> {
  const fetched = await fetchBytes(product, ORDERS, headers);
  if (fetched.status !== 200) throw new Error(`the list was answered with ${fetched.status}`);
  return fetched;
}
