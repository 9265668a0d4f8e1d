import { rm } from 'node:fs/promises';
import { CANCEL, CommandClients, type CommandKind, PLACE, SHIP } from '../commands.ts';
import type { Requests } from '../load.ts';
import {
  type Advance,
  compareRates,
  interleave,
  type Measured,
  measureLoad,
  type Series,
} from '../rounds.ts';
import { figure, median, medianRatio, type Row } from '../row.ts';
import { type Bench, countOf, type Scenario, warmUpOf } from '../scenario.ts';
import { ORDERS, type Product, startProduct, timeToFirstAnswer } from '../servers.ts';
import type { StoreFile } from '../stores.ts';
import { Databases, withCluster } from './postgres.ts';

/**
 * This build beside another build of the service, such as that of an earlier commit, in the same
 * rounds: a ratio above 1 means that this one is faster, in every row.
 *
 * The other build has to open the stores that this one fills.
 */
export function against(root: string): Scenario {
  return {
    name: 'against',
    isQuick: true,
    steps: (bench) => bench.rounds * 2 * (loadsOf(bench) + (bench.quick ? 0 : STARTS.length)),
    run: async (bench, advance) => [
      ...(await compareLoads(bench, bench.stores, root, advance)),
      ...(bench.quick ? [] : await compareStarts(bench, root, advance)),
    ],
  };
}

/** The same with a PostgreSQL that both builds use. */
export function againstOnPostgres(root: string): Scenario {
  return {
    name: 'against',
    isQuick: false,
    steps: (bench) => bench.rounds * 2 * loadsOf(bench),
    run: (bench, advance) =>
      withCluster((cluster) => compareLoads(bench, new Databases(bench, cluster), root, advance)),
  };
}

const COMMANDS: readonly (readonly [name: string, kind: CommandKind, connections: number])[] = [
  ['cancel', CANCEL, 64],
  ['cancel', CANCEL, 256],
  ['ship', SHIP, 64],
  ['place', PLACE, 64],
];

interface Read {
  readonly name: string;
  readonly path: string;
  /** In which part of the largest store. */
  readonly part: number;
  readonly connections: number;
  readonly encoding?: 'gzip';
}

const READS: readonly Read[] = [
  { name: 'list', path: ORDERS, part: 1_000, connections: 4 },
  { name: 'list', path: ORDERS, part: 100, connections: 4 },
  { name: 'list', path: ORDERS, part: 10, connections: 4 },
  { name: 'list', path: ORDERS, part: 1, connections: 1 },
  { name: 'list, gzip', path: ORDERS, part: 10, connections: 4, encoding: 'gzip' },
  { name: 'get', path: `${ORDERS}/1`, part: 1, connections: 64 },
  { name: 'page of v2', path: '/v2/store/orders?limit=100', part: 1, connections: 4 },
  { name: 'page of v2 of 1,000', path: '/v2/store/orders?limit=1000', part: 1, connections: 4 },
  { name: 'page of v2, none found', path: '/v2/store/orders?petId=4711', part: 1, connections: 1 },
];

/** A quick run measures one command and one list. */
const QUICK_LOADS = 1;

function loadsOf({ quick }: Bench): number {
  return quick ? 2 * QUICK_LOADS : COMMANDS.length + READS.length;
}

type StoresOfPending = Pick<Bench['stores'], 'pending'>;

async function compareLoads(
  bench: Bench,
  stores: StoresOfPending,
  root: string,
  advance: Advance,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const [commands, reads] = bench.quick
    ? [COMMANDS.slice(0, QUICK_LOADS), READS.slice(0, QUICK_LOADS)]
    : [COMMANDS, READS];
  for (const command of commands) {
    rows.push(await compareCommand(bench, stores, root, command, advance));
  }
  for (const read of reads) rows.push(await compareRead(bench, stores, root, read, advance));
  return rows;
}

async function compareCommand(
  bench: Bench,
  stores: StoresOfPending,
  root: string,
  [name, kind, connections]: (typeof COMMANDS)[number],
  advance: Advance,
): Promise<Row> {
  await using opened = new AsyncDisposableStack();
  const products = await startBoth(stores, bench.orders, root, opened);
  const clients = products.map(
    (product) => new CommandClients(bench, product, kind, bench.orders, bench.rounds),
  );
  for (const each of clients) await each.warmUp(connections);
  const contenders = clients.map((each) => ({ measure: () => each.measure(connections) }));
  const results = await interleave(contenders, bench.rounds, advance);
  for (const [index, each] of clients.entries()) await each.check(products[index] as Product);
  return rowOf(`${name}, ${connections} connections, ${countOf(bench.orders)}`, results);
}

async function compareRead(
  bench: Bench,
  stores: StoresOfPending,
  root: string,
  { name, path, part, connections, encoding = 'identity' as never }: Read,
  advance: Advance,
): Promise<Row> {
  await using opened = new AsyncDisposableStack();
  const orders = bench.orders / part;
  const products = await startBoth(stores, orders, root, opened);
  const requests: Requests = { method: 'GET', path, headers: { 'Accept-Encoding': encoding } };
  const send = (product: Product, seconds: number) =>
    measureLoad(bench.generator, product, requests, { connections, seconds });
  for (const product of products) await send(product, warmUpOf(bench));
  const contenders = products.map((product) => ({ measure: () => send(product, bench.seconds) }));
  const results = await interleave(contenders, bench.rounds, advance);
  if (results.flat().some(({ failed }) => failed > 0)) throw new Error(`${name}: some failed`);
  return rowOf(`${name}, ${connections} connections, ${countOf(orders)}`, results);
}

async function startBoth(
  stores: StoresOfPending,
  orders: number,
  root: string,
  opened: AsyncDisposableStack,
): Promise<readonly Product[]> {
  return [
    opened.use(await startProduct(await stores.pending(orders))),
    opened.use(await startProduct(await stores.pending(orders), {}, root)),
  ];
}

function rowOf(name: string, [these = [], those = []]: readonly Measured[][]): Row {
  const [measured, reference]: Series[] = [
    { name: 'this build', rounds: these },
    { name: 'other build', rounds: those },
  ];
  return compareRates(name, measured as Series, reference as Series);
}

/** Starts until the first answer, with the snapshot of the last stop and without one. */
async function compareStarts(
  bench: Bench,
  root: string,
  advance: Advance,
): Promise<readonly Row[]> {
  const stores = [await bench.stores.lived(bench.orders), await bench.stores.lived(bench.orders)];
  const roots = [undefined, root];
  const rows: Row[] = [];
  for (const [name, prepare] of STARTS) {
    for (const [index, store] of stores.entries()) await timeToFirstAnswer(store, roots[index]);
    const contenders = stores.map((store, index) => ({
      async measure() {
        await prepare(store);
        return timeToFirstAnswer(store, roots[index]);
      },
    }));
    const [these = [], those = []] = await interleave(contenders, bench.rounds, advance);
    rows.push({
      name: `${name}, ${countOf(bench.orders)}`,
      measured: `${figure(median(these))} ms`,
      reference: `other build: ${figure(median(those))} ms`,
      value: medianRatio(those, these),
      unit: '×',
      verdict: 'info',
      samples: { measured: these, reference: those },
    });
  }
  return rows;
}

const STARTS: readonly (readonly [name: string, prepare: (store: StoreFile) => Promise<void>])[] = [
  ['start to first answer', async () => {}],
  ['start without a snapshot', ({ file }) => rm(`${file}-snapshot`, { force: true })],
];
