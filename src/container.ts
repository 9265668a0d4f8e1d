/** The wiring of the service: the only file that uses the dependency-injection container. */

import 'reflect-metadata';
import { container, type InjectionToken, instanceCachingFactory } from 'tsyringe';
import type { Prover } from './app/audit/proving/prover.ts';
import { TileReader } from './app/audit/proving/tile-reader.ts';
import { History } from './app/audit/trail/history.ts';
import { RefusalRecorder } from './app/audit/trail/refusal-recorder.ts';
import { Tail } from './app/audit/trail/tail.ts';
import { CLOCKS } from './app/clock.ts';
import { Authenticator } from './app/keys/authenticator.ts';
import { KeyLimiter } from './app/keys/key-limiter.ts';
import { reasonAgainstSecondList } from './app/lifecycle/memory-check.ts';
import type { PackedList } from './app/log/packed-fold.ts';
import { isDamage, type Store, type StoreWatcher } from './app/ports/store.ts';
import { Bulkhead } from './app/read/bulkhead.ts';
import { ReadModel } from './app/read/read-model.ts';
import { SnapshotKeeper } from './app/read/snapshot-keeper.ts';
import { OrderList } from './app/state/order-list.ts';
import { Witnessing } from './app/witnessing/witnessing.ts';
import { CommandProcessor } from './app/write/command-processor.ts';
import { NOT_SHOWN } from './http/answers/list.ts';
import type { ListChunk } from './http/answers/list-chunk.ts';
import { ListMemory } from './http/answers/list-memory.ts';
import { ListVersions } from './http/answers/list-versions.ts';
import { createApp } from './http/app.ts';
import type { Health } from './http/health.ts';
import { MetricsServer, type PrintMetrics } from './http/metrics.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { NetworkLimit } from './http/requests/network-limit.ts';
import { HttpServer } from './http/server.ts';
import type { Logger } from './infra/process/logger.ts';
import { MetricsPrinter } from './infra/process/metrics-text.ts';
import { witnessClient } from './infra/process/witness-client.ts';
import type { Config } from './infra/settings/config.ts';
import { metricsOf } from './metrics.ts';
import type { LogWitnesses } from './witnesses.ts';

/** Everything from which the parts of the service are made. */
export interface Given {
  readonly config: Config;
  readonly logger: Logger;
  readonly health: Health;
  readonly watcher: StoreWatcher;
  readonly store: Store;
  readonly prover: Prover;
  /** Absent if the log has no witnesses. */
  readonly witnesses: LogWitnesses | undefined;
  /** The list of the snapshot; absent: the whole log is read. */
  readonly snapshot: PackedList | undefined;
}

/** The parts of the service that are started or closed. */
export interface Parts {
  readonly server: HttpServer;
  readonly commands: CommandProcessor;
  readonly readModel: ReadModel<ListChunk>;
  readonly snapshots: SnapshotKeeper;
  readonly refusals: RefusalRecorder;
  readonly tail: Tail;
  readonly metricsServer: MetricsServer;
  /** Reports damage of the store. */
  readonly damaged: (cause: Error) => void;
  /** Absent if the log has no witnesses. */
  readonly witnessing: Witnessing | undefined;
}

export type Compose = typeof compose;

/** Wires the parts of the service around an open store. Starts nothing. */
export function compose(given: Given): Parts {
  const { store, logger, snapshot } = given;
  const parts = container.createChildContainer();
  const get = <Part>(part: InjectionToken<Part>) => parts.resolve(part);
  const register = <Part>(part: InjectionToken<Part>, make: () => Part) =>
    parts.register(part, { useFactory: instanceCachingFactory(make) });
  const witnessing = witnessingOf(given);
  const unrecorded = (error: unknown) => logger.error(error, 'a refusal is lost');

  register(Authenticator, () => new Authenticator(store.keys, CLOCKS, given.config.initialApiKey));
  register(KeyLimiter, () => new KeyLimiter(given.config.limits.maxStreamsPerKey));
  register(CommandProcessor, () => processorOf(given));
  register(Bulkhead, () => bulkheadOf(given, get(CommandProcessor)));
  register(ListMemory, () => new ListMemory(given.config.limits.maxListTextBytes));
  register(OrderList, () => new OrderList(get(ListMemory).encode, snapshot, NOT_SHOWN));
  const unsaved = (error: Error) => logger.warn(error, 'the snapshot could not be saved');
  register(SnapshotKeeper, () => {
    const options = { failed: unsaved, against: reasonAgainstSecondList };
    return new SnapshotKeeper(store.snapshots, get(OrderList), options);
  });
  register(ReadModel, () => new ReadModel(store.log, get(OrderList), store.foldSource));
  register(ListVersions, () => new ListVersions(given.config.limits.maxOldListBytes));
  register(History, () => new History(store.epochs, store.trail, store.keys));
  register(Tail, () => new Tail(store.log, get(History), given.config.limits.maxStreams));
  register(RefusalRecorder, () => new RefusalRecorder(store.refusals, unrecorded));
  // Created at the first scrape, because it measures the process from then on.
  register(MetricsPrinter, () => {
    const measured = {
      health: given.health,
      store,
      list: get(OrderList),
      commands: get(CommandProcessor),
      reads: get(Bulkhead),
      readModel: get<ReadModel<ListChunk>>(ReadModel),
      versions: get<ListVersions<ListChunk>>(ListVersions),
      snapshots: get(SnapshotKeeper),
      tail: get(Tail),
      requests: get(RequestMetrics),
      server: get(HttpServer),
      witnesses: witnessing && given.witnesses && { ...given.witnesses, witnessing },
    };
    return new MetricsPrinter(metricsOf(measured));
  });
  register(MetricsServer, () => new MetricsServer(printerOf(get)));
  register(RequestMetrics, () => new RequestMetrics());
  register(HttpServer, () => serverOf(given, get, witnessing));
  return {
    server: get(HttpServer),
    commands: get(CommandProcessor),
    readModel: get<ReadModel<ListChunk>>(ReadModel),
    snapshots: get(SnapshotKeeper),
    refusals: get(RefusalRecorder),
    tail: get(Tail),
    metricsServer: get(MetricsServer),
    damaged: damagedOf(given),
    witnessing,
  };
}

function damagedOf({ store, watcher }: Pick<Given, 'store' | 'watcher'>): (cause: Error) => void {
  return store.damaged ?? ((cause) => watcher.impaired('store_damaged', cause));
}

function witnessingOf(given: Given): Witnessing | undefined {
  const { witnesses, prover, logger, health } = given;
  if (witnesses === undefined) return undefined;
  return new Witnessing({
    ...witnesses,
    prover,
    ask: witnessClient(),
    noticed: ({ level, message, about }) => logger[level](about, message),
    failed: (error) => {
      // A stop may close the log while a proof is made.
      if (health.isGoing) return;
      const { message: cause } = error;
      if (isDamage(error)) damagedOf(given)(error);
      else logger.warn({ cause }, 'no checkpoint could be submitted to witnesses');
    },
    elapsed: CLOCKS.elapsed,
  });
}

function processorOf({ config, store, watcher }: Given): CommandProcessor {
  const lost = (cause: string) => watcher.lost(new Error(cause));
  return new CommandProcessor(store.writer, lost, {
    inDoubt: store.inDoubt,
    limits: config.queueLimits,
    noticed: watcher.noticed,
  });
}

function bulkheadOf({ config }: Given, commands: CommandProcessor): Bulkhead {
  return new Bulkhead(config.limits.reads, () => commands.giveWay());
}

function serverOf(
  { config, logger, health, watcher, store, prover }: Given,
  get: <Part>(part: InjectionToken<Part>) => Part,
  witnessing: Witnessing | undefined,
): HttpServer {
  const { baseUrl, stagingBaseUrl, corsOrigins, servesConsole, limits } = config;
  const { trustedProxies, authFailuresPerMinute } = config;
  const authenticator = get(Authenticator);
  const app = createApp({
    logger,
    health,
    damaged: damagedOf({ store, watcher }),
    authenticator,
    limiter: get(KeyLimiter),
    services: {
      epochs: store.epochs,
      commands: get(CommandProcessor),
      reads: get(Bulkhead),
      readModel: get<ReadModel<ListChunk>>(ReadModel),
      listMemory: get(ListMemory),
      versions: get<ListVersions<ListChunk>>(ListVersions),
      authenticator,
      limiter: get(KeyLimiter),
      prover,
      history: get(History),
      tail: get(Tail),
    },
    slowRequestMs: config.slowRequestMs,
    requestMetrics: get(RequestMetrics),
    printMetrics: printerOf(get),
    refusals: get(RefusalRecorder),
    addresses: { production: baseUrl, staging: stagingBaseUrl },
    corsOrigins,
    servesConsole,
    witnesses: witnessing && (() => witnessing.statuses),
    tiles:
      config.tiles === 'off'
        ? undefined
        : { reader: new TileReader(store.trail), isPublic: config.tiles === 'public' },
    failures: authFailuresPerMinute === 0 ? undefined : new NetworkLimit(authFailuresPerMinute),
    trustedProxies,
  });
  const metrics = get(RequestMetrics);
  return new HttpServer(app, health, { ...limits, log: logger, metrics });
}

function printerOf(get: <Part>(part: InjectionToken<Part>) => Part): PrintMetrics {
  return (format) => get(MetricsPrinter).print(format);
}
