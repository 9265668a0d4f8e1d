/**
 * The life of the service, in phases: open the store, compose the parts around it, listen, read the
 * log, begin the writer, be ready; and on a signal, stop, in the reverse order.
 */
import closeWithGrace from 'close-with-grace';
import { Prover } from './app/audit/proving/prover.ts';
import { snapshotKeyOf } from './app/audit/proving/signing-key.ts';
import { nearestNow } from './app/clock.ts';
import { acceptKey, makeFirstKey } from './app/keys/first-key.ts';
import { untilChecked } from './app/lifecycle/checked-start.ts';
import { watchClock, watchClockRange } from './app/lifecycle/clock-watch.ts';
import { requireMemory } from './app/lifecycle/memory-check.ts';
import { Owed } from './app/lifecycle/owed.ts';
import type { PackedList } from './app/log/packed-fold.ts';
import type { Engine } from './app/ports/engine.ts';
import { IMPAIRMENTS } from './app/ports/impairment.ts';
import { isDamage, type Store, type StoreWatcher } from './app/ports/store.ts';
import { Writer } from './app/write/writer.ts';
import { ALL_SIGNALS, onStopSignal } from './cli/shared/interrupt.ts';
import { welcome } from './cli/shared/welcome.ts';
import type { Compose, Parts } from './container.ts';
import { engineOf, mayPass } from './engines.ts';
import { Health } from './http/health.ts';
import { createLogger } from './infra/process/logger.ts';
import { openSigningKey } from './infra/process/signing-key-file.ts';
import { endThreads } from './infra/process/start-thread.ts';
import type { Config } from './infra/settings/config.ts';
import { policyWarning, witnessesOf } from './witnesses.ts';

/**
 * Runs the service until a signal ends the process.
 * @param madeKey A key that was added before, and is to be shown.
 */
export function serve(config: Config, madeKey?: string): Promise<void> {
  return new Service(config).run(madeKey);
}

class Service {
  readonly #config: Config;
  readonly #logger;
  readonly #flush;
  readonly #health = new Health();
  /** Everything opened so far, to be closed in reverse order. */
  readonly #opened = new AsyncDisposableStack();
  readonly #owed = new Owed(mayPass);
  readonly #stopNow: () => void;
  readonly #watcher: StoreWatcher = {
    lost: (cause) => this.#fail(cause),
    impaired: (reason, cause) => {
      if (!this.#health.impaired(reason)) return;
      const { says, refuses, level } = IMPAIRMENTS[reason];
      const about = { reason, refuses, cause: cause.message };
      this.#logger[level](about, `not ready: the service ${says}`);
    },
    mended: (reason) => {
      if (this.#health.mended(reason)) this.#logger.info({ reason }, 'recovered');
    },
    noticed: (message, about) => this.#logger.warn(about, message),
  };

  constructor(config: Config) {
    const { logger, flush } = createLogger(config.logLevel, config.logFormat);
    this.#config = config;
    this.#logger = logger;
    this.#flush = flush;
    this.#stopNow = this.#stopOnSignals();
  }

  /** Runs the phases of a start. A stop may come at any time; the remaining phases are then skipped. */
  async run(madeKey?: string) {
    try {
      const engine = await engineOf(this.#config.database, this.#config);
      // While the store opens, modules are loaded. If that fails, the store is closed once it is open.
      const container = import('./container.ts');
      container.catch(() => undefined);
      const store = await this.#open(engine);
      const parts = await this.#compose((await container).compose, engine, store);
      const address = await this.#listen(parts);
      const phases = [
        () => this.#beginWriter(store, parts),
        () => this.#check(store, parts),
        () => this.#ready(store, parts, address, madeKey),
      ];
      for (const phase of phases) if (this.#health.isStarting) await phase();
    } catch (error) {
      await this.#opened.disposeAsync();
      // A signal during a start closes the store, which is not a failure of the start.
      if (this.#health.isStarting) throw error;
    }
  }

  async #open(engine: Engine): Promise<Store> {
    const store = await engine.openStore(this.#watcher);
    this.#opened.defer(() => store.close());
    if (store.madeAt !== undefined) this.#logger.info({ store: store.madeAt }, 'made a new store');
    if (store.notice !== undefined) this.#logger.warn(store.notice);
    return store;
  }

  async #compose(compose: Compose, { file }: Engine, store: Store): Promise<Parts> {
    requireMemory(await store.log.head(), this.#config.limits.maxListTextBytes);
    this.#opened.defer(() => this.#owed.close());
    const witnesses = witnessesOf(this.#config, file, store.id);
    const prover = new Prover(store.trail, undefined, store.epochs, witnesses?.cosigned);
    await this.#owed.do(async () => {
      const signer = await openSigningKey({ databaseFile: file, ...this.#config }, store);
      prover.signWith(signer);
      store.snapshots.sealWith?.(snapshotKeyOf(signer));
      const warning = policyWarning(witnesses, signer?.verifierKey);
      if (warning !== undefined) this.#logger.warn(warning);
    });
    const parts = compose({
      config: this.#config,
      logger: this.#logger,
      health: this.#health,
      watcher: this.#watcher,
      store,
      prover,
      witnesses,
      snapshot: await this.#snapshotOf(store),
    });
    this.#opened.defer(() => parts.snapshots.close());
    this.#opened.defer(() => parts.refusals.flush());
    this.#opened.defer(() => parts.witnessing?.close());
    this.#opened.defer(() => parts.commands.drained());
    this.#opened.defer(() => parts.server.close());
    this.#opened.defer(() => parts.tail.close());
    this.#opened.defer(() => parts.metricsServer.close());
    return parts;
  }

  async #listen({ server, metricsServer }: Parts): Promise<string> {
    const { port, host, metricsPort } = this.#config;
    this.#opened.defer(watchClock((stepMs) => this.#logger.warn({ stepMs }, 'the clock was set')));
    this.#opened.defer(watchClockRange(this.#watcher));
    if (metricsPort !== undefined) {
      this.#logger.info({ address: await metricsServer.listen(metricsPort, host) }, 'metrics');
    }
    return server.listen(port, host);
  }

  /** Reads the rest of the log, and starts the writer from the resulting list. */
  async #beginWriter(store: Store, parts: Parts): Promise<void> {
    const list = await parts.readModel.current();
    if (!this.#health.isStarting) return;
    parts.snapshots.keep();
    await store.begin(Writer.startOf(list));
  }

  async #check({ check }: Store, { readModel, damaged }: Parts): Promise<void> {
    readModel.follow((error) => {
      // A stop may close the log while the read model catches up.
      if (this.#health.isGoing) return;
      if (isDamage(error)) damaged(error);
      else this.#logger.error(error, 'the list could not catch up');
    });
    await untilChecked(check, (error) => {
      if (!this.#health.isGoing) this.#logger.error(error, 'the store could not be checked');
    });
  }

  async #ready(
    { keys }: Store,
    { snapshots, witnessing }: Parts,
    address: string,
    madeKey?: string,
  ): Promise<void> {
    const { initialApiKey, servesConsole, snapshotEveryMs } = this.#config;
    await witnessing?.restore();
    // Last of all: a start that fails creates no key that is never shown, and changes no damaged store.
    let newKey = madeKey;
    const greet = () => process.stderr.write(welcome({ address, newKey, servesConsole }));
    await this.#owed.do(async () => {
      if (initialApiKey !== undefined) await acceptKey(keys, initialApiKey, nearestNow());
      newKey ??= await makeFirstKey(keys, nearestNow());
      // If it could only be created after the start, it is shown separately.
      if (newKey && !this.#health.isStarting) greet();
    });
    this.#health.ready();
    if (snapshotEveryMs > 0) snapshots.follow(snapshotEveryMs);
    witnessing?.begin();
    this.#logger.info({ address }, 'ready');
    await this.#flush();
    greet();
    this.#owed.retry((error) => this.#fail(error as Error));
  }

  async #snapshotOf({ snapshots }: Store): Promise<PackedList | undefined> {
    const loaded = await snapshots.load();
    if (loaded.kind === 'none') {
      this.#logger.info({ reason: loaded.reason }, 'no snapshot: reading the whole log');
      return undefined;
    }
    this.#logger.info({ position: loaded.list.image.position }, 'reading on from the snapshot');
    return loaded.list;
  }

  #fail(cause: Error): void {
    this.#logger.fatal({ cause: cause.message }, 'nothing can be recorded any more: stopping');
    this.#health.failed();
    this.#stopNow();
  }

  async #stop(): Promise<void> {
    this.#health.stopping();
    await this.#opened.disposeAsync();
    await endThreads();
    this.#logger.info('stopped');
    await this.#flush();
    if (this.#health.hasFailed) throw new Error('stopped after a failure');
  }

  /** Returns the time for which a stop waits for load balancers to notice, in milliseconds. */
  #leave(): number {
    const delay = this.#config.stopDelay;
    if (delay === 0 || !this.#health.leave()) return 0;
    this.#logger.info({ delay }, 'about to stop');
    return delay;
  }

  /**
   * Stops the service on a signal to stop. Returns a function that stops it at once. Further signals
   * are ignored: npm repeats a Ctrl-C, at which close-with-grace would drop the requests in flight.
   */
  #stopOnSignals(): () => void {
    const { close } = closeWithGrace(
      {
        delay: this.#config.maxStopMs,
        logger: this.#logger,
        skip: [...ALL_SIGNALS, 'beforeExit'] as closeWithGrace.AllEvents[],
      },
      async ({ err }) => {
        if (err !== undefined) this.#logger.fatal(err, 'unexpected: stopping');
        await this.#stop();
      },
    );
    let isStopping = false;
    const stop = () => {
      if (!isStopping) close();
      isStopping = true;
    };
    const onSignal = () => {
      const delay = this.#leave();
      if (delay === 0) stop();
      else setTimeout(stop, delay);
    };
    onStopSignal(onSignal);
    return stop;
  }
}
