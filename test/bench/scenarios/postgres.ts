import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderList } from '../../../src/app/order-list.ts';
import { Projector } from '../../../src/app/projector.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/postgres-store.ts';
import { Cluster } from '../../support/postgres/cluster.ts';
import { CANCEL, CommandClients } from '../commands.ts';
import { isEmmettIn } from '../emmett.ts';
import { IdSequence } from '../id-sequence.ts';
import { Ledger } from '../ledger.ts';
import { newFolder, run } from '../processes.ts';
import { type Advance, compareRates, interleave, type Measured, type Series } from '../rounds.ts';
import { atLeast, figure, judge, median, type Row, rowFor, Skip } from '../row.ts';
import { type Bench, countOf, type Scenario } from '../scenario.ts';
import { type Product, startProduct, startServer } from '../servers.ts';
import type { StoreFile } from '../stores.ts';
import { compareList } from './lists.ts';

const CONNECTIONS = 64;

/**
 * The service on a PostgreSQL on the same machine, with the defaults of PostgreSQL but for its
 * memory: each commit waits for the disk.
 */
export const postgres: Scenario = {
  name: 'postgres',
  isQuick: false,
  steps: ({ rounds }) => rounds * 8,
  async run(bench, advance) {
    await using cluster = await Cluster.start(18, { shared_buffers: '512MB' }, tmpdir());
    const databases = new Databases(bench, cluster);
    return [
      ...(await cancelRows(bench, databases, advance)),
      await listRow(bench, databases, advance),
      await catchUpRow(bench, databases, advance),
    ];
  },
};

/** Stores of several sizes, each copied once from SQLite, and then from database to database. */
class Databases {
  readonly #bench: Bench;
  readonly #cluster: Cluster;
  readonly #filled = new Map<string, Promise<StoreFile>>();
  #count = 0;

  constructor(bench: Bench, cluster: Cluster) {
    this.#bench = bench;
    this.#cluster = cluster;
  }

  /** An empty database. */
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
    const file = join(newFolder(), 'unused');
    return { file, url: this.#cluster.url(name), orders, head };
  }

  async #fill(template: string, store: StoreFile): Promise<StoreFile> {
    await this.#cluster.sql(`CREATE DATABASE ${template}`);
    const url = this.#cluster.url(template);
    const program = join(import.meta.dirname, '../../../dist/main.js');
    const copy = ['migrate-store', '--from', `sqlite:${store.file}`, '--to', url];
    await run(process.execPath, [program, ...copy], 600);
    // What a database that has been there for a while has done already.
    await this.#cluster.sql('VACUUM ANALYZE', template);
    await this.#cluster.sql('CHECKPOINT');
    return store;
  }

  #newName(): string {
    this.#count += 1;
    return `bench_${this.#count}`;
  }
}

/** One instance against the floor, two instances against one, and one against Emmett. */
async function cancelRows(
  bench: Bench,
  databases: Databases,
  advance: Advance,
): Promise<readonly Row[]> {
  const { orders, rounds, emmett } = bench;
  await using opened = new AsyncDisposableStack();
  const one = opened.use(await startProduct(await databases.pending(orders)));
  const shared = await databases.pending(orders);
  const pair = await pairOf(bench, [shared, shared], opened);
  const apart = await pairOf(
    bench,
    [await databases.pending(orders), await databases.pending(orders)],
    opened,
  );
  const rivals = [
    opened.use(await startServer('Express + bearer', 'express-bearer')),
    ...(isEmmettIn(emmett, 'postgresql')
      ? [
          opened.use(
            await startServer('Emmett on PostgreSQL', 'emmett-postgres', [
              await databases.empty(),
              String(orders),
              emmett,
            ]),
          ),
        ]
      : []),
  ];
  const clients = [one, ...rivals].map(
    (server) => new CommandClients(bench, server, CANCEL, orders, rounds),
  );
  const all = [...clients, pair, apart];
  for (const each of all) await each.warmUp(CONNECTIONS);
  const contenders = all.map((each) => ({ measure: () => each.measure(CONNECTIONS) }));
  const results = await interleave(contenders, rounds, advance);
  await clients[0]?.check(one);
  await pair.check();
  await apart.check();
  const names = [one.name, ...rivals.map(({ name }) => name), 'two instances', 'two apart'];
  const [measured, floor, ...rest] = results.map(
    (seen, index): Series => ({ name: names[index] as string, rounds: seen }),
  ) as [Series, Series, ...Series[]];
  const [two, twoApart] = rest.slice(-2) as [Series, Series];
  const [emmettSeries] = rest.slice(0, -2);
  const what = `PostgreSQL: cancels, ${CONNECTIONS} connections, ${countOf(orders)}`;
  const single = { ...measured, name: 'one instance' };
  return [
    compareRates(`${what}: Express + bearer`, measured, floor, atLeast(0.5, 0.8)),
    compareRates(`${what}: two instances`, two, single, atLeast(1, 1.5)),
    compareRates(`${what}: two instances, a database each`, twoApart, single),
    emmettSeries === undefined
      ? rowFor(`${what}: Emmett`, new Skip('not installed; docs/benchmarks.md says how'))
      : compareRates(`${what}: Emmett`, measured, emmettSeries, atLeast(10, 20)),
  ];
}

/** Two instances, each on one of these databases, or both on the same, and with half of the clients. */
async function pairOf(
  bench: Bench,
  stores: readonly [StoreFile, StoreFile],
  opened: AsyncDisposableStack,
) {
  const { orders, rounds } = bench;
  const ledgers = new Map(stores.map((store) => [store, new Ledger(CANCEL.type)]));
  const products: Product[] = [];
  for (const store of stores) {
    const product = await startProduct({ ...store, file: join(newFolder(), 'unused') });
    products.push(opened.use(product));
  }
  const clients = products.map((product, index) => {
    const ids = new IdSequence(orders);
    // The second half of the sequence: no order is named by both.
    ids.use(index * Math.floor(orders / 2));
    const ledger = ledgers.get(stores[index] as StoreFile);
    return new CommandClients(bench, product, CANCEL, orders, rounds * 2, ids, ledger);
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
  // Awaited here, because the product ends with this function.
  return await compareList(bench, product, size, `PostgreSQL: list, ${countOf(orders)}`, advance);
}

/** How fast an instance takes in what the others have recorded: the whole log, at its start. */
async function catchUpRow(bench: Bench, databases: Databases, advance: Advance): Promise<Row> {
  const { url = '', head } = await databases.lived(bench.orders);
  const { log, facts, close } = await openPostgresForCommandLine(url);
  const rates: number[] = [];
  for (let round = 0; round < bench.rounds; round++) {
    const begun = performance.now();
    await new Projector(log, new OrderList(() => null), facts).catchUp();
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
