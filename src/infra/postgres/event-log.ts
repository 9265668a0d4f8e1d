import { Histogram, type HistogramReading } from '../../app/histogram.ts';
import { sizeOf } from '../../app/log/merkle-tree.ts';
import type { RecordedEvent, StoredFields } from '../../app/log/recorded-event.ts';
import type { AppendResult, Decide, EventLog, OutcomeName } from '../../app/ports/event-log.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import { decode } from '../events/codec.ts';
import { CHUNK_ROWS } from '../events/row-mapping.ts';
import { AppendAlone } from './append-alone.ts';
import { AppendConnections } from './append-connections.ts';
import { AppendLocked } from './append-locked.ts';
import type { Connection } from './connection/connection.ts';
import type { Database } from './connection/database.ts';
import { HeadWatch } from './head-watch.ts';
import { KnownHead, type KnownHeadOptions } from './known-head.ts';
import { MerkleTables } from './merkle-tables.ts';
import { Notifier } from './notifier.ts';
import { readStored } from './stored-events.ts';

/** The limit of the search for a commit whose answer was lost, in milliseconds. */
const MAX_SEARCH_MS = 500;

/** In seconds: from a round trip up to the timeout of the lock. */
const LOCK_WAIT_BOUNDS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

interface Options extends KnownHeadOptions {
  /** Called when the log is found to be damaged. */
  readonly damaged?: (cause: Error) => void;
  /**
   * The limit of the search for a lost commit, in milliseconds, after which its outcome is unknown.
   */
  readonly maxSearchMs?: number;
  /** Called when the server has refused to record a batch. */
  readonly refused?: (cause: Error) => void;
  /** Called when a batch was recorded. */
  readonly recorded?: () => void;
  /** Awaited in each look at the head. */
  readonly lookBesideHead?: () => Promise<void>;
  /** Called after each look at the head, with its error if it failed. */
  readonly looked?: ((error: Error | undefined) => void) | undefined;
  /** Called after each look that succeeds, with the reason if there are no notifications. */
  readonly heard?: ((cause: Error | undefined) => void) | undefined;
  /** Awaited before the first append. */
  readonly beginAppending?: () => Promise<unknown>;
}

/** The log in PostgreSQL, over an open database, which it closes. */
export class PostgresEventLog implements EventLog {
  readonly #db: Database;
  readonly #options: Options;
  readonly #tree: MerkleTables;
  readonly #known: KnownHead;
  readonly #watch: HeadWatch;
  readonly #notifier: Notifier;
  readonly #connections: AppendConnections;
  readonly #alone: AppendAlone;
  readonly #locked: AppendLocked;
  readonly #lockWaits = new Histogram(LOCK_WAIT_BOUNDS_S);
  /** Undefined once it was called. */
  #beginAppending: Options['beginAppending'];
  readonly #inFlight = new Set<Promise<unknown>>();

  constructor(db: Database, options: Options = {}) {
    this.#db = db;
    this.#options = options;
    this.#beginAppending = options.beginAppending;
    this.#tree = new MerkleTables(db);
    this.#known = new KnownHead(db, options);
    this.#watch = new HeadWatch(db, () => this.#look(), options.looked, options.heard);
    this.#notifier = new Notifier(db);
    this.#connections = new AppendConnections(db);
    const appending = {
      db,
      known: this.#known,
      notifier: this.#notifier,
      lockWaits: this.#lockWaits,
      reporting: <Result>(work: () => Promise<Result>) => this.#reporting(work),
      refused: (cause: Error) => options.refused?.(cause),
      recorded: () => options.recorded?.(),
      maxSearchMs: options.maxSearchMs ?? MAX_SEARCH_MS,
    };
    this.#alone = new AppendAlone(appending);
    this.#locked = new AppendLocked(appending);
    db.admit = (connection) => this.#reporting(() => this.#known.compare(connection));
  }

  async *read(after: number): AsyncIterable<readonly RecordedEvent[]> {
    let events = await this.#chunk(after);
    while (events.length > 0) {
      const last = (events.at(-1) as StoredFields).position;
      // While the caller processes one chunk, the next is being read. A last, partial chunk is read
      // again after all others were processed, so that it includes what was appended meanwhile.
      const isFull = events.length === CHUNK_ROWS;
      const next = isFull ? this.#chunk(last) : undefined;
      next?.catch(() => {});
      yield events.map(decode);
      if (next === undefined) return;
      events = await next;
      if (events.length < CHUNK_ROWS) events = await this.#chunk(last);
    }
  }

  append(seen: number, decide: Decide, names: readonly OutcomeName[] = []): Promise<AppendResult> {
    const append = this.#append(seen, decide, names);
    const settled = append.catch(() => undefined).finally(() => this.#inFlight.delete(settled));
    this.#inFlight.add(settled);
    return append;
  }

  get takesMore(): boolean {
    return this.#alone.inFlight !== undefined;
  }

  /** The waits for the log's lock, in seconds, of appends that lock before they decide. */
  get lockWaits(): HistogramReading {
    return this.#lockWaits.read();
  }

  /** True while the database notifies of new events. */
  get isNotified(): boolean {
    return this.#watch.isListening;
  }

  async head(): Promise<number> {
    return sizeOf(await this.edge());
  }

  watch(grown: () => void): () => void {
    return this.#watch.watch(grown);
  }

  async close(): Promise<void> {
    await Promise.all(this.#inFlight);
    await this.#watch.close();
    await this.#notifier.close();
    this.#connections.close();
    await this.#db.close();
    this.#known.close();
  }

  /** Returns the right edge of the log's tree as it is now, or a newer one, once it is noted. */
  async edge(): Promise<Buffer> {
    const before = this.#known.edge;
    await this.#known.follow(await this.#tree.edge(), before, this.#tree);
    return this.#known.edge;
  }

  /** The newest position that this instance has seen. */
  get knownHead(): number {
    return sizeOf(this.#known.edge);
  }

  /**
   * Enters this instance among those that run on the store. What a command has changed before that is
   * found now, and no command that needs the store for itself begins behind it.
   */
  async enter(): Promise<void> {
    await this.#db.serve();
    await this.#db.use((connection) => this.#reporting(() => this.#known.compare(connection)));
  }

  /** Watches the database and polls the head from now on, even without a watcher. */
  follow(): void {
    this.#db.followPulse();
    this.#watch.begin();
  }

  /** Awaits `beginAppending`, once, before the first append. */
  async prepare(): Promise<void> {
    await this.#beginAppending?.();
    this.#beginAppending = undefined;
  }

  #chunk(after: number): Promise<StoredFields[]> {
    return readStored(this.#db, after, CHUNK_ROWS, this.knownHead);
  }

  async #append(
    seen: number,
    decide: Decide,
    names: readonly OutcomeName[],
  ): Promise<AppendResult> {
    // Outcomes of idempotency keys are read under the lock.
    const isAlone = names.length === 0;
    const before = isAlone ? this.#alone.followed(seen) : undefined;
    let connection: Connection;
    try {
      if (this.#beginAppending !== undefined) await this.prepare();
      // Without an await if possible, so that a batch is sent before the previous one is answered.
      connection = before?.connection ?? this.#connections.ready() ?? (await this.#db.connect());
    } catch (error) {
      return { kind: 'unavailable', cause: error as Error };
    }
    return this.#connections.use(connection, async () => {
      if (before !== undefined) {
        return (await this.#alone.append(connection, decide, before)) ?? { kind: 'overtaken' };
      }
      if (isAlone && !this.#locked.isShared && sizeOf(this.#known.edge) === seen) {
        const result = await this.#alone.append(connection, decide);
        if (result !== undefined) return result;
      }
      return this.#locked.append(connection, seen, decide, names);
    });
  }

  /**
   * Returns the head. Throws {@link DamagedStore} if the log and its tree differ in size, and if it is
   * of another store.
   */
  async #look(): Promise<number> {
    await this.#reporting(async () => {
      await this.#known.requireSameStore(this.#db);
      await this.#tree.requireWhole();
    });
    await this.#options.lookBesideHead?.();
    return this.head();
  }

  async #reporting<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DamagedStore) this.#options.damaged?.(error);
      throw error;
    }
  }
}
