import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Projector } from '../../../src/app/read/projector.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/store.ts';
import { Cluster } from '../../support/postgres/cluster.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { isEmmettIn } from '../emmett.ts';
import { IdSequence } from '../id-sequence.ts';
import { Ledger } from '../ledger.ts';
import { newFolder, run } from '../processes.ts';
import { withShares } from '../processor-share.ts';
import { type Advance, compareRates, interleave, type Measured, type Series } from '../rounds.ts';
import { atLeast, figure, judge, median, type Row, rowFor, Skip } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { type Product, startProduct, startServer } from '../servers.ts';
import type { StoreFile } from '../stores.ts';
import { compareList } from './lists.ts';

const CONNECTIONS = 64;

/**
 * The service on a PostgreSQL server on the same machine, with PostgreSQL's defaults except for its
 * memory: each commit waits for the disk.
 */
export const postgres: Scenario = {
  name: 'postgres',
  isQuick: false,
  steps: ({ rounds }) => rounds * 10,
  async run(bench, advance) {
    return withCluster(async (cluster) => {
      const databases = new Databases(bench, cluster);
      return [
        ...(await cancelRows(bench, databases, advance)),
        await listRow(bench, databases, advance),
        await catchUpRow(bench, databases, advance),
      ];
    });
  },
};

/** Starts a PostgreSQL with the benchmark's settings, uses it, and stops it. */
export async function withCluster<Used>(use: (cluster: Cluster) => Promise<Used>): Promise<Used> {
  await using cluster = await Cluster.start(18, { shared_buffers: '512MB' }, tmpdir());
  return await use(cluster);
}

/**
 * Creates stores of several sizes, each copied once from SQLite, then from database to database.
 */
export class Databases {
  readonly #bench: Pick<Bench, 'stores'>;
  readonly #cluster: Cluster;
  readonly #filled = new Map<string, Promise<StoreFile>>();
  #count = 0;

  constructor(bench: Pick<Bench, 'stores'>, cluster: Cluster) {
    this.#bench = bench;
    this.#cluster = cluster;
  }

  /** Creates an empty database. */
  async empty(): Promise<string> {
    const name = this.#newName();
    await this.#cluster.sql(`CREATE DATABASE ${name}`);
    return this.#cluster.url(name);
  }

  async pending(orders: number): Promise<StoreFile> {
    return this.#copy(`pending_${orders}`, () => this.#bench.stores.pending(orders));
  }

  async lived(orders: number): Promise<StoreFile> {
    return this.#copy(`lived_${orders}`, () => this.#bench.stores.lived(orders));
  }

  async #copy(template: string, make: () => Promise<StoreFile>): Promise<StoreFile> {
    const filled = this.#filled.get(template) ?? this.#fill(template, await make());
    this.#filled.set(template, filled);
    const name = this.#newName();
    const { orders, head } = await filled;
    await this.#cluster.sql(`CREATE DATABASE ${name} TEMPLATE ${template}`);
    // Otherwise the copy's pages would be written during a measurement.
    await this.#cluster.sql('CHECKPOINT');
    const file = join(newFolder(), 'unused');
    return { file, url: this.#cluster.url(name), orders, head };
  }

  async #fill(template: string, store: StoreFile): Promise<StoreFile> {
    await this.#cluster.sql(`CREATE DATABASE ${template}`);
    const url = this.#cluster.url(template);
    const program = join(import.meta.dirname, '../../../dist/main.js');
    const copy = ['migrate-store', '--from', `sqlite:${store.file}`, '--to', url];
    await run(process.execPath, [program, ...copy], 600);
    // Maintenance that an older database would have behind it.
    await this.#cluster.sql('VACUUM ANALYZE', template);
    await this.#cluster.sql('CHECKPOINT');
    return store;
  }

  #newName(): string {
    this.#count += 1;
    return `bench_${this.#count}`;
  }
}

/** Compares one instance with the floor, two instances with one, and one with Emmett. */
async function cancelRows(
  bench: Bench,
  databases: Databases,
  advance: Advance,
): Promise<readonly Row[]> {
  const { orders, rounds, emmett } = bench;
  await using opened = new AsyncDisposableStack();
  // The servers that are also measured with shares of a processor have twice as many loads.
  const single = opened.use(await startProduct(await databases.pending(orders)));
  const one = new CommandClients(bench, single, CANCEL, orders, rounds * 2);
  const shared = await databases.pending(orders);
  const pair = await pairOf(bench, [shared, shared], rounds * 2, opened);
  const apart = await pairOf(
    bench,
    [await databases.pending(orders), await databases.pending(orders)],
    rounds,
    opened,
  );
  const floorServer = opened.use(await startServer('Express + bearer', 'express-bearer'));
  const floor = new CommandClients(bench, floorServer, CANCEL, orders, rounds);
  const contenders: [name: string, Cancelling & Pick<CommandClients, 'warmUp'>][] = [
    ['one instance', one],
    [floorServer.name, floor],
    ['two instances', pair],
    ['two apart', apart],
  ];
  if (isEmmettIn(emmett, 'postgresql')) {
    const given = [await databases.empty(), String(orders), emmett];
    const rival = opened.use(await startServer('Emmett on PostgreSQL', 'emmett-postgres', given));
    contenders.push([rival.name, new CommandClients(bench, rival, CANCEL, orders, rounds)]);
  }
  for (const [, each] of contenders) await each.warmUp(CONNECTIONS);
  const [ofOne, ofFloor, ofPair, ofApart, ofEmmett] = (await seriesOf(
    contenders,
    rounds,
    advance,
  )) as [Series, Series, Series, Series, Series?];
  const what = `PostgreSQL: cancels, ${CONNECTIONS} connections, ${countOf(orders)}`;
  const shares = await sharesRow(
    `${what}: two instances, half a processor each`,
    [withShare(one, [single.pid]), withShare(pair, pair.pids)],
    rounds,
    advance,
  );
  await one.check(single);
  await pair.check();
  await apart.check();
  return [
    compareRates(`${what}: Express + bearer`, ofOne, ofFloor, atLeast(0.5, 0.8)),
    shares,
    compareRates(`${what}: two instances, all on the same processors`, ofPair, ofOne),
    compareRates(`${what}: two instances, a database each`, ofApart, ofOne),
    ofEmmett === undefined
      ? rowFor(`${what}: Emmett`, new Skip('not installed; docs/benchmarks.md says how'))
      : compareRates(`${what}: Emmett`, ofOne, ofEmmett, atLeast(10, 20)),
  ];
}

/** A contender that sends cancellations to one server or to several. */
type Cancelling = Pick<CommandClients, 'measure'>;

async function seriesOf(
  named: readonly (readonly [name: string, Cancelling])[],
  rounds: number,
  advance: Advance,
): Promise<Series[]> {
  const contenders = named.map(([, each]) => ({ measure: () => each.measure(CONNECTIONS) }));
  const results = await interleave(contenders, rounds, advance);
  return named.map(([name], index) => ({ name, rounds: results[index] ?? [] }));
}

/** The share of a processor per instance, if a second instance adds a processor of its own. */
const PROCESSOR_SHARE = 0.5;

function withShare(clients: Cancelling, pids: readonly number[]): Cancelling {
  return {
    measure: (connections) => withShares(pids, PROCESSOR_SHARE, () => clients.measure(connections)),
  };
}

async function sharesRow(
  name: string,
  [one, pair]: readonly [Cancelling, Cancelling],
  rounds: number,
  advance: Advance,
): Promise<Row> {
  const named = [
    ['one instance, half a processor', one],
    ['two instances', pair],
  ] as const;
  try {
    const [ofOne, ofPair] = (await seriesOf(named, rounds, advance)) as [Series, Series];
    return compareRates(name, ofPair, ofOne, atLeast(1, 1.5));
  } catch (error) {
    if (error instanceof Skip) return rowFor(name, error);
    throw error;
  }
}

/** Two instances with half of the clients each, on the same database or on one each. */
async function pairOf(
  bench: Bench,
  stores: readonly [StoreFile, StoreFile],
  loads: number,
  opened: AsyncDisposableStack,
) {
  const { orders } = bench;
  const ledgers = new Map(stores.map((store) => [store, new Ledger(CANCEL.type)]));
  const products: Product[] = [];
  for (const store of stores) {
    const product = await startProduct({ ...store, file: join(newFolder(), 'unused') });
    products.push(opened.use(product));
  }
  const clients = products.map((product, index) => {
    const ids = new IdSequence(orders);
    // The second half of the sequence, so that no order is named by both.
    ids.use(index * Math.floor(orders / 2));
    const ledger = ledgers.get(stores[index] as StoreFile);
    return new CommandClients(bench, product, CANCEL, orders, loads * 2, ids, ledger);
  });
  const both = async (send: (each: CommandClients) => Promise<Measured>): Promise<Measured> => {
    const [first, second] = (await Promise.all(clients.map(send))) as [Measured, Measured];
    return {
      ...first,
      answered: first.answered + second.answered,
      failed: first.failed + second.failed,
      rate: first.rate + second.rate,
    };
  };
  return {
    pids: products.map(({ pid }) => pid),
    warmUp: (connections: number) => both((each) => each.warmUp(connections / 2)),
    measure: (connections: number) => both((each) => each.measure(connections / 2)),
    async check() {
      for (const product of products) await product.stop();
      for (const [store, ledger] of ledgers) await ledger.check(store);
    },
  };
}

async function listRow(bench: Bench, databases: Databases, advance: Advance): Promise<Row> {
  const orders = bench.orders / 10;
  await using product = await startProduct(await databases.pending(orders));
  const size = { orders, connections: 4, target: atLeast(0.65, 1) };
  // Awaited here, because the product is stopped at the end of this function.
  return await compareList(bench, product, size, `PostgreSQL: list, ${countOf(orders)}`, advance);
}

/** Measures how fast an instance reads what others have recorded: the whole log, at its start. */
async function catchUpRow(bench: Bench, databases: Databases, advance: Advance): Promise<Row> {
  const { url = '', head } = await databases.lived(bench.orders);
  const { log, foldSource, close } = await openPostgresForCommandLine(url);
  const rates: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const begun = performance.now();
    await new Projector(log, new OrderList(() => null), foldSource).catchUp();
    rates.push((head * 1_000) / (performance.now() - begun));
    advance();
  }
  await close();
  const value = median(rates);
  const target = atLeast(300_000, 1_000_000);
  return {
    name: `PostgreSQL: catching up, ${figure(head)} events`,
    measured: `${figure(value)} events/s`,
    reference: '',
    value,
    unit: '/s',
    target,
    verdict: judge(value, target),
    samples: { measured: rates },
  };
}
