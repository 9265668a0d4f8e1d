import { pino } from 'pino';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../src/app/audit/proving/prover.ts';
import { History } from '../../src/app/audit/trail/history.ts';
import { RefusalRecorder } from '../../src/app/audit/trail/refusal-recorder.ts';
import { Tail } from '../../src/app/audit/trail/tail.ts';
import { now } from '../../src/app/clock.ts';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { Authenticator } from '../../src/app/keys/authenticator.ts';
import { acceptKey } from '../../src/app/keys/first-key.ts';
import { KeyLimiter } from '../../src/app/keys/key-limiter.ts';
import type { EventLog } from '../../src/app/ports/event-log.ts';
import type { Store } from '../../src/app/ports/store.ts';
import { ReadModel } from '../../src/app/read/read-model.ts';
import { OrderList, type OrderView } from '../../src/app/state/order-list.ts';
import { CommandProcessor } from '../../src/app/write/command-processor.ts';
import { Writer } from '../../src/app/write/writer.ts';
import { order } from '../../src/domain/order.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import type { ListChunk } from '../../src/http/answers/list-chunk.ts';
import { ListMemory } from '../../src/http/answers/list-memory.ts';
import { ListVersions } from '../../src/http/answers/list-versions.ts';
import { createApp } from '../../src/http/app.ts';
import { Health } from '../../src/http/health.ts';
import { openMemoryStore } from '../../src/infra/memory/store.ts';
import { openPostgresStore } from '../../src/infra/postgres/store.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../src/infra/sqlite/store.ts';
import { orderTarget } from '../kit/orders.ts';
import type { Target } from '../kit/target.ts';
import { deciderTarget } from '../kit/targets/decider.ts';
import { listenerTarget } from '../kit/targets/http.ts';
import { type StoreUnderTest, storeTarget } from '../kit/targets/store.ts';
import type { Order } from '../kit/vocabulary.ts';
import { BOUNDLESS, PATIENT } from './patience.ts';

// The responses to commands also reveal what a store has lost.
const ignore = () => undefined;
const NOBODY = { lost: ignore, impaired: ignore, mended: ignore, noticed: ignore };

/** The project's own layers as targets of the kit. */

export const decider: Target = deciderTarget('decider', order);

const openInMemory = async () => appOn(await openMemoryStore());

export const memoryApp: Target = storeTarget('app on memory', openInMemory);

/** The same, for the kit for any aggregate. */
export const memoryOrders = orderTarget('app on memory', openInMemory);

/** Two writers on one log, like a server and a command-line tool: one for each client. */
export const twoWriters: Target = storeTarget('two writers on one log', async () => {
  const store = await openMemoryStore();
  const apps = [
    await appOn(store),
    await appOn({ ...store, writer: await Writer.open(store.log as EventLog) }),
  ];
  const [first] = apps as [StoreUnderTest];
  return {
    ...first,
    submit: (submission, client) => (apps[client] as StoreUnderTest).submit(submission, client),
  };
});

/**
 * The application on a SQLite file, in a single thread, as in the command line.
 * @param newFile Returns the name of a file for a new store.
 */
export function sqliteApp(newFile: () => string): Target {
  return storeTarget('app on SQLite', async () => openInThread(newFile()));
}

/** The same with the writer's thread and restarts, for the kit for any aggregate. */
export function sqliteOrders(newFile: () => string) {
  return orderTarget('app on SQLite', () => openWithThread(newFile()));
}

/**
 * The application on PostgreSQL, as in an instance of the service. A restart opens the store with a
 * new instance.
 * @param newAddress Returns the address of a database with an empty store.
 */
export function postgresApp(newAddress: () => Promise<string>): Target {
  return storeTarget('app on PostgreSQL', async () => openInstance(await newAddress()));
}

/** Two instances on one database, one for each client. */
export function twoInstances(newAddress: () => Promise<string>): Target {
  return storeTarget('two instances on PostgreSQL', async () => {
    const url = await newAddress();
    const instances = [await openInstance(url), await openInstance(url)];
    const [first, second] = instances as [StoreUnderTest, StoreUnderTest];
    return {
      ...second,
      submit: (submission, client) => (client === 0 ? first : second).submit(submission, client),
      async close() {
        await first.close();
        await second.close();
      },
    };
  });
}

/** The same as in a server, with the writer in a thread of its own. */
export function sqliteServerApp(newFile: () => string): Target {
  return storeTarget('app on SQLite, with its writer thread', () => openWithThread(newFile()));
}

export const httpApp: Target = listenerTarget('HTTP app in process', async () => {
  const store = await openMemoryStore();
  const key = mintKeyText();
  await acceptKey(store.keys, key, now());
  return { listener: listenerOn(store), basePath: '/v1', key, close: () => store.close() };
});

async function openInThread(file: string): Promise<StoreUnderTest> {
  const { log, keys, close } = openSqliteForCommandLine(file);
  const writer = await Writer.open(log);
  // The parts that only a server needs are those of a store in memory.
  return appOn({ ...(await openMemoryStore()), log, writer, keys, close });
}

async function openInstance(url: string): Promise<StoreUnderTest> {
  const store = await openPostgresStore(url, NOBODY);
  return appOn(store, async () => {
    await store.close();
    return openInstance(url);
  });
}

async function openWithThread(file: string): Promise<StoreUnderTest> {
  const store = await openSqliteStore(file, NOBODY);
  return appOn(store, async () => {
    await store.close();
    return openWithThread(file);
  });
}

/** The application on a store: the write side, and the list of the read side. */
export async function appOn(
  store: Store,
  reopen?: StoreUnderTest['reopen'],
): Promise<StoreUnderTest> {
  const commands = new CommandProcessor(store.writer, ignore, { limits: PATIENT });
  const list = new OrderList((orders) => orders.map(shown));
  const readModel = new ReadModel(store.log, list);
  await store.begin(Writer.startOf(await readModel.current()));
  let position = -1;
  let orders: readonly Order[] = [];
  return {
    submit: (submission) => commands.submit(submission as Parameters<typeof commands.submit>[0]),
    async list() {
      const snapshot = (await readModel.current()).encoded();
      if (snapshot.position !== position) orders = snapshot.chunks.flat();
      position = snapshot.position;
      return orders;
    },
    async get(id) {
      const view = (await readModel.current()).get(id as OrderId);
      return view && shown(view);
    },
    events: async () => (await Array.fromAsync(store.log.read(0))).flat(),
    ...(reopen && { reopen }),
    close: () => store.close(),
  };
}

/** The HTTP application on a store, as wired by the container. */
export function listenerOn(store: Store, prover?: Prover): ReturnType<typeof createApp> {
  const listMemory = new ListMemory(Infinity);
  const commands = new CommandProcessor(store.writer, ignore, { limits: PATIENT });
  const readModel = new ReadModel(store.log, new OrderList(listMemory.encode));
  return listenerWith(store, { commands, readModel, listMemory }, prover);
}

/** The same with both sides given, on the rest of a store. */
export function listenerWith(
  store: Pick<Store, 'epochs' | 'trail' | 'keys' | 'log' | 'refusals'>,
  { commands, readModel, listMemory }: BothSides,
  prover = new Prover(store.trail, NoteSigner.generate('test')),
): ReturnType<typeof createApp> {
  const history = new History(store.epochs, store.trail, store.keys);
  const health = new Health();
  health.ready();
  const authenticator = new Authenticator(store.keys);
  const limiter = new KeyLimiter(100);
  return createApp({
    logger: pino({ level: 'silent' }),
    health,
    damaged: () => void health.impaired('store_damaged'),
    authenticator,
    limiter,
    services: {
      epochs: store.epochs,
      commands,
      readModel,
      listMemory,
      reads: BOUNDLESS,
      versions: new ListVersions<ListChunk>(Infinity),
      authenticator,
      prover,
      history,
      tail: new Tail(store.log, history, 100),
      limiter,
    },
    refusals: new RefusalRecorder(store.refusals, ignore),
    addresses: { production: undefined, staging: undefined },
    corsOrigins: [],
  });
}

/** The write side and the read side of an HTTP application. */
interface BothSides {
  readonly commands: CommandProcessor;
  readonly readModel: ReadModel<ListChunk>;
  readonly listMemory: ListMemory;
}

/** Returns an order as version 1 shows it. */
function shown({ id, petId, quantity, shipDate, status }: OrderView): Order {
  const date = shipDate === undefined ? {} : { shipDate };
  return { id, petId, quantity, ...date, complete: status === 'shipped' };
}
