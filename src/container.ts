import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import closeWithGrace from 'close-with-grace';
import {
  container,
  type DependencyContainer,
  type InjectionToken,
  instanceCachingFactory,
} from 'tsyringe';
import { CheckedTrail } from './app/audit/checked-trail.ts';
import type { DecodeStrictly } from './app/audit/event-rules.ts';
import { History } from './app/audit/history.ts';
import { Prover } from './app/audit/prover.ts';
import { RefusalRecorder } from './app/audit/refusal-recorder.ts';
import { Tail } from './app/audit/tail.ts';
import { Authenticator } from './app/authenticator.ts';
import { CannotStart } from './app/cannot-start.ts';
import { untilChecked } from './app/checked-start.ts';
import { CLOCKS, now } from './app/clock.ts';
import { watchClock } from './app/clock-watch.ts';
import { CommandProcessor } from './app/command-processor.ts';
import { acceptKey, makeFirstKey } from './app/first-key.ts';
import { IMPAIRMENTS } from './app/impairment.ts';
import { OrderList, type PackedList } from './app/order-list.ts';
import { Owed } from './app/owed.ts';
import type { Evidence } from './app/ports/evidence.ts';
import {
  type AcceptedLoss,
  type CommandLineStore,
  isDamage,
  type Migrated,
  type Store,
  StoreUnavailable,
  type StoreWatcher,
} from './app/ports/store.ts';
import type { StoreCopy, StoreOriginal } from './app/ports/store-copy.ts';
import { Projector } from './app/projector.ts';
import { SnapshotKeeper } from './app/snapshot-keeper.ts';
import { placeDemoOrders } from './cli/demo-orders.ts';
import { welcome } from './cli/welcome.ts';
import { createApp } from './http/app.ts';
import { FailedAuthentications } from './http/failed-authentications.ts';
import { Health } from './http/health.ts';
import { encodePage, type ListPage } from './http/list-page.ts';
import { HttpServer } from './http/server.ts';
import {
  type Config,
  type DatabaseConfig,
  loadDotEnv,
  readConfig,
  readDatabaseUrl,
} from './infra/config.ts';
import { decodeStrictly } from './infra/event-codec.ts';
import { createLogger, type Logger } from './infra/logger.ts';
import {
  type NewSigningKey,
  openSigningKey,
  readVerifierKey,
  renewSigningKey,
  type SigningKeyPlace,
  type SigningStore,
} from './infra/signing-key-file.ts';
import { acceptLoss as acceptLossInSqlite } from './infra/sqlite/accept-loss.ts';
import { openSqliteCopy, openSqliteOriginal } from './infra/sqlite/sqlite-copy.ts';
import { openSqliteEvidence } from './infra/sqlite/sqlite-evidence.ts';
import { openSqliteForCommandLine, openSqliteStore } from './infra/sqlite/sqlite-store.ts';
import { storageFaultOf } from './infra/sqlite/storage-fault.ts';

/**
 * The composition root: the only place that knows which parts the service is made of, and the
 * only one that knows tsyringe.
 */

/** How long a stop may take, in milliseconds, before the process ends regardless. */
const STOP_WITHIN = 9_000;

/** Variables that win over those of the environment. */
type Given = Readonly<Record<string, string>>;

/** Runs the service until a signal ends the process. */
export async function serve(given: Given = {}): Promise<void> {
  await runService(configure(given));
}

/** Runs the service on a throw-away folder with orders of every state in it. */
export async function demo(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const database = { engine: 'sqlite', file: join(folder, 'demo.db') } as const;
  // With a key of its own: nobody is to take this for the real log.
  const config = { ...configure(), database, signingKeyFile: undefined };
  await runService(config, (commands) => placeDemoOrders(commands, CLOCKS.wall()));
}

/** Opens the configured store for a command that may run beside the service. */
export async function openForCommandLine(
  made?: (where: string) => void,
): Promise<CommandLineStore> {
  const ifAbsent = made ?? 'refuse';
  const config = configure();
  const { database } = config;
  if (database.engine === 'sqlite') {
    return checkedTrailIn(openSqliteForCommandLine(database.file, ifAbsent));
  }
  const { openPostgresForCommandLine } = await import('./infra/postgres/postgres-store.ts');
  return checkedTrailIn(
    await openPostgresForCommandLine(database.url, ifAbsent, witnessPlaceOf(config)),
  );
}

/** Goes on with what is left of the configured store's log, in a new epoch. */
export async function acceptLoss(): Promise<AcceptedLoss> {
  const config = configure();
  const { database } = config;
  if (database.engine === 'sqlite') return acceptLossInSqlite(database.file);
  const { acceptLossInPostgres } = await import('./infra/postgres/postgres-store.ts');
  return acceptLossInPostgres(database.url, witnessPlaceOf(config));
}

/** Names the file of the witness of a store in PostgreSQL on this machine. */
function witnessPlaceOf({ witnessFile }: Config): (storeId: string) => string {
  return (storeId) => witnessFile ?? `./data/postgres-${storeId}-head`;
}

/** Brings the schema of the configured store up to date, with the roles that go with it. */
export async function migrate(): Promise<Migrated> {
  const { database } = configure();
  if (database.engine === 'sqlite') {
    throw new CannotStart('A store in SQLite is brought up to date at every start.');
  }
  return (await import('./infra/postgres/migrations.ts')).migrate(database.url, true);
}

/** Opens a store to copy it: see {@link Composition.openOriginal}. */
export async function openOriginal(url: string): Promise<StoreOriginal> {
  const database = addressOf(url);
  if (database.engine === 'sqlite') return openSqliteOriginal(database.file);
  return (await import('./infra/postgres/postgres-copy.ts')).openPostgresOriginal(database.url);
}

/** Opens what is to be a copy: see {@link Composition.openCopy}. */
export async function openCopy(url: string, id: string): Promise<StoreCopy> {
  const database = addressOf(url);
  if (database.engine === 'sqlite') return openSqliteCopy(database.file, id);
  return (await import('./infra/postgres/postgres-copy.ts')).openPostgresCopy(database.url, id);
}

function addressOf(url: string): DatabaseConfig {
  process.umask(0o077);
  return readDatabaseUrl(url);
}

/** Opens the configured store for a server. What PostgreSQL needs is loaded only where it is used. */
async function openStore(config: Config, watcher: StoreWatcher): Promise<Store> {
  const { database, databaseWaitMs, scrubBytesPerSecond } = config;
  if (database.engine === 'sqlite') {
    return openSqliteStore(database.file, watcher, scrubBytesPerSecond);
  }
  const { openPostgresStore } = await import('./infra/postgres/postgres-store.ts');
  const { openWhenThere } = await import('./infra/postgres/waiting.ts');
  const place = witnessPlaceOf(config);
  const open = () => openPostgresStore(database.url, watcher, scrubBytesPerSecond, place);
  return openWhenThere(open, watcher, databaseWaitMs);
}

/** What proves things of an open store. */
export async function proverOf(
  store: Pick<Store, 'trail' | 'epochs'> & SigningStore,
): Promise<Prover> {
  const signer = await openSigningKey(keyPlaceOf(configure()), store);
  return new Prover(store.trail, signer, store.epochs);
}

/** Lets an open store sign with another key from now on. */
export function newSigningKey(store: SigningStore): Promise<NewSigningKey> {
  return renewSigningKey(keyPlaceOf(configure()), store);
}

/** Opens the configured store to be checked. */
export async function openEvidence(): Promise<Evidence> {
  const { database } = configure();
  if (database.engine === 'sqlite') return openSqliteEvidence(database.file);
  const { openPostgresEvidence } = await import('./infra/postgres/postgres-evidence.ts');
  return openPostgresEvidence(database.url);
}

function keyPlaceOf({ database, signingKeyFile }: Config): SigningKeyPlace {
  return { databaseFile: database.engine === 'sqlite' ? database.file : undefined, signingKeyFile };
}

/** The public key of the configured store, if it has one. */
export function verifierKey(): string | undefined {
  return readVerifierKey(keyPlaceOf(configure()));
}

/** What events are written and read with. */
export const decode: DecodeStrictly = decodeStrictly;

function configure(given: Given = {}): Config {
  // The store holds what only its owner should read, keys' hashes among it.
  process.umask(0o077);
  loadDotEnv();
  return readConfig({ ...process.env, ...given });
}

/** The same store, of whose events none is handed out that is not what was recorded. */
function checkedTrailIn<Opened extends Pick<Store, 'trail'>>(store: Opened): Opened {
  return { ...store, trail: new CheckedTrail(store.trail) };
}

/** Wires the service's parts around a store. Nothing is opened or started here. */
function compose(
  config: Config,
  store: Store,
  prover: Prover,
  logger: Logger,
  health: Health,
  watcher: StoreWatcher,
  snapshot: PackedList | undefined,
): DependencyContainer {
  const parts = container.createChildContainer();
  const lost = (cause: string) => watcher.lost(new Error(cause));
  const register = <Part>(part: InjectionToken<Part>, make: () => Part) =>
    parts.register(part, { useFactory: instanceCachingFactory(make) });

  register(Authenticator, () => new Authenticator(store.keys));
  register(CommandProcessor, () => new CommandProcessor(store.writer, lost, store.inDoubt));
  register(OrderList, () => new OrderList(encodePage, snapshot));
  register(SnapshotKeeper, () => new SnapshotKeeper(store.snapshots, parts.resolve(OrderList)));
  register(Projector, () => new Projector(store.log, parts.resolve(OrderList), store.facts));
  register(History, () => new History(store.epochs, store.trail, store.keys));
  register(Tail, () => new Tail(store.log, parts.resolve(History)));
  register(RefusalRecorder, () => {
    return new RefusalRecorder(store.refusals, (error) => logger.error(error, 'a refusal is lost'));
  });
  register(HttpServer, () => {
    const authenticator = parts.resolve(Authenticator);
    const orders = {
      epochs: store.epochs,
      commands: parts.resolve(CommandProcessor),
      list: parts.resolve<OrderList<ListPage>>(OrderList),
      projector: parts.resolve(Projector),
      trail: store.trail,
      authenticator,
      prover,
      history: parts.resolve(History),
      tail: parts.resolve(Tail),
    };
    const { baseUrl, stagingBaseUrl, corsOrigins, trustedProxies, authFailuresPerMinute } = config;
    const failures =
      authFailuresPerMinute === 0 ? undefined : new FailedAuthentications(authFailuresPerMinute);
    const addresses = { production: baseUrl, staging: stagingBaseUrl };
    const refusals = parts.resolve(RefusalRecorder);
    const damaged = (cause: Error) => watcher.impaired('store_damaged', cause);
    const app = {
      logger,
      health,
      damaged,
      authenticator,
      orders,
      refusals,
      addresses,
      corsOrigins,
      failures,
      trustedProxies,
    };
    return new HttpServer(createApp(app), health);
  });
  return parts;
}

/** From opening the store to telling the user the address; and back again, on a signal. */
async function runService(
  config: Config,
  prepare: (commands: CommandProcessor) => Promise<void> = async () => {},
): Promise<void> {
  const { logger, flush } = createLogger(config.logLevel, config.logFormat);
  const health = new Health();
  const opened = new AsyncDisposableStack();
  const leave = () => {
    if (config.stopDelay === 0 || !health.leave()) return 0;
    logger.info({ delay: config.stopDelay }, 'about to stop');
    return config.stopDelay;
  };
  const exit = exitOnSignals(logger, leave, async () => {
    health.stopping();
    await opened.disposeAsync();
    logger.info('stopped');
    await flush();
    if (health.hasFailed) throw new Error('stopped after a failure');
  });
  const failed = (cause: Error) => {
    logger.fatal({ cause: cause.message }, 'nothing can be recorded any more: stopping');
    health.failed();
    exit();
  };
  const watcher = watcherOf(logger, health, failed);
  const lagging = (error: unknown) => {
    // A stop may close the log under a catch-up that is under way.
    if (health.isGoing) return;
    if (isDamage(error)) watcher.impaired('store_damaged', error);
    else logger.error(error, 'catch-up');
  };
  try {
    const store = checkedTrailIn(await openStore(config, watcher));
    opened.defer(() => store.close());
    if (store.madeAt !== undefined) logger.info({ store: store.madeAt }, 'made a new store');
    if (store.notice !== undefined) logger.warn(store.notice);
    const owed = new Owed(passes);
    opened.defer(() => owed.close());
    const prover = new Prover(store.trail, undefined, store.epochs);
    await owed.do(async () => prover.signWith(await openSigningKey(keyPlaceOf(config), store)));
    const snapshot = await snapshotOf(store, logger);
    const parts = compose(config, store, prover, logger, health, watcher, snapshot);
    const server = parts.resolve(HttpServer);
    const commands = parts.resolve(CommandProcessor);
    const list = parts.resolve(OrderList);
    const projector = parts.resolve(Projector);
    const keeper = parts.resolve(SnapshotKeeper);
    const keepSnapshot = async () => {
      const error = await keeper.keep();
      if (error !== undefined) logger.warn(error, 'no snapshot could be kept');
    };
    opened.defer(keepSnapshot);
    opened.defer(() => parts.resolve(RefusalRecorder).flush());
    opened.defer(() => commands.drained());
    opened.defer(() => server.close());
    opened.defer(() => parts.resolve(Tail).close());
    opened.defer(watchClock((stepMs) => logger.warn({ stepMs }, 'the clock was set')));
    const { initialApiKey } = config;
    if (initialApiKey !== undefined)
      await owed.do(() => acceptKey(store.keys, initialApiKey, now()));
    const address = await server.listen(config.port, config.host);
    await projector.catchUp();
    if (!health.isStarting) return;
    keepSnapshot();
    await store.begin(list);
    if (!health.isStarting) return;
    store.log.watch(() => projector.catchUp().catch(lagging));
    await untilChecked(store.check, (error) => {
      if (!health.isGoing) logger.error(error, 'the store could not be checked');
    });
    if (!health.isStarting) return;
    await prepare(commands);
    // Last of all, so that a start that fails has not made a key that nobody was shown.
    let newKey: string | undefined;
    await owed.do(async () => {
      newKey = await makeFirstKey(store.keys, now());
      // Made later than the rest of the start: it is shown all the same.
      if (newKey !== undefined && !health.isStarting) {
        process.stderr.write(welcome(address, newKey));
      }
    });
    health.ready();
    logger.info({ address }, 'ready');
    await flush();
    process.stderr.write(welcome(address, newKey));
    owed.retry((error) => failed(error as Error));
  } catch (error) {
    await opened.disposeAsync();
    // A signal closes the store under a start that is under way. That is no failure of the start.
    if (health.isStarting) throw error;
  }
}

/** Whether it is the storage that has failed, so that the same can be done later. */
function passes(error: unknown): boolean {
  if (isDamage(error)) return false;
  return error instanceof StoreUnavailable || storageFaultOf(error, '.') !== undefined;
}

/** What the service does when something is amiss with its store, and when that is over. */
function watcherOf(logger: Logger, health: Health, failed: (cause: Error) => void): StoreWatcher {
  return {
    lost: failed,
    impaired(reason, cause) {
      if (!health.impaired(reason)) return;
      const { says, refuses, level } = IMPAIRMENTS[reason];
      logger[level]({ reason, refuses, cause: cause.message }, `not ready: the service ${says}`);
    },
    mended(reason) {
      if (health.mended(reason)) logger.info({ reason }, 'mended');
    },
    noticed: (message, facts) => logger.warn(facts, message),
  };
}

/** The snapshot with which the list begins, if there is one. */
async function snapshotOf(store: Store, logger: Logger): Promise<PackedList | undefined> {
  const loaded = await store.snapshots.load();
  if (loaded.kind === 'none') {
    logger.info({ reason: loaded.reason }, 'no snapshot: reading the whole log');
    return undefined;
  }
  logger.info({ position: loaded.list.image.position }, 'reading on from the snapshot');
  return loaded.list;
}

/**
 * Ends the process cleanly on SIGTERM and SIGINT; returns what ends it for another reason, at once.
 * Signals that come while it stops are ignored: under npm one Ctrl-C reaches the service twice, from
 * the terminal and from npm, and close-with-grace by itself would take the second for impatience and
 * drop what is under way.
 * @param leave Says, of each signal, how long to wait before the stop, in milliseconds.
 */
function exitOnSignals(logger: Logger, leave: () => number, stop: () => Promise<void>): () => void {
  const { close } = closeWithGrace(
    { delay: STOP_WITHIN, logger, skip: ['SIGTERM', 'SIGINT', 'beforeExit'] },
    async ({ err }) => {
      if (err !== undefined) logger.fatal(err, 'unexpected: stopping');
      await stop();
    },
  );
  let closing = false;
  const exit = () => {
    if (!closing) close();
    closing = true;
  };
  const onSignal = () => {
    const delay = leave();
    if (delay === 0) exit();
    else setTimeout(exit, delay);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return exit;
}
