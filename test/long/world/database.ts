import { Epochs } from '../../../src/app/log/epochs.ts';
import type { RecordedEvent } from '../../../src/app/log/recorded-event.ts';
import type { KeptOutcome, OutcomeName } from '../../../src/app/ports/event-log.ts';
import { nameText } from '../../../src/infra/events/kept-in-batch.ts';
import { bigintsAsText, textAsBigints } from '../../kit/history/bigint-json.ts';
import { Disk, DiskFull, FlushFailed } from './disk.ts';
import type { World } from './world.ts';

/**
 * The server of a database, with one transaction at a time. A transaction is one record on the disk;
 * it is visible when the disk says that it is durable. After a failed flush or a loss of power the
 * database begins again with what the disk has.
 */

export type Committed = 'recorded' | 'not recorded' | 'unknown';

/** A record of the disk. Its number shows a hole: an earlier record was lost, and a later one was not. */
interface Transaction {
  readonly number: number;
  readonly events: readonly RecordedEvent[];
  readonly kept: readonly KeptOutcome[];
}

/** The cause of an outcome in doubt that is no fault of the service. */
export const DATABASE_ENDED = 'the database has ended';

/** The identity of the store. */
export const EPOCHS = new Epochs('5107e000deadbeef');

const RECOVERY_MS = 30;

export class Database {
  readonly disk: Disk;
  readonly #world: World;
  #events: RecordedEvent[] = [];
  #kept = new Map<string, KeptOutcome>();
  #transactions = 0;
  /** Grows with each restart: whoever waited before it has lost its transaction. */
  #life = 0;
  #isUp = true;
  #lock: Promise<void> = Promise.resolve();
  readonly #watchers = new Set<() => void>();
  /** The newest position that an instance knows of: a client may know of it, too. */
  known = 0;

  constructor(world: World) {
    this.#world = world;
    this.disk = new Disk(world);
  }

  get events(): readonly RecordedEvent[] {
    return this.#events;
  }

  /** Returns the head, which whoever asks may tell to a client. */
  tellHead(): number {
    this.known = Math.max(this.known, this.#events.length);
    return this.#events.length;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get life(): number {
    return this.#life;
  }

  kept(name: OutcomeName): KeptOutcome | undefined {
    return this.#kept.get(nameText(name));
  }

  /** Waits for the lock. Resolves with a function that releases it. */
  async locked(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#lock;
    this.#lock = promise;
    await before;
    return resolve;
  }

  /** Records a transaction. The caller has the lock, and had it in this life of the database. */
  async commit(
    events: readonly RecordedEvent[],
    kept: readonly KeptOutcome[],
    life: number,
  ): Promise<Committed> {
    if (!this.#isUp || life !== this.#life) return 'not recorded';
    const transaction: Transaction = { number: this.#transactions + 1, events, kept };
    try {
      this.disk.write(JSON.stringify(transaction, bigintsAsText));
      await this.disk.flush();
    } catch (error) {
      if (error instanceof DiskFull) {
        this.#world.happened('the disk was full');
        return 'not recorded';
      }
      if (!(error instanceof FlushFailed)) throw error;
      // The state of the disk is unknown: only a restart can tell, by this process or its successor.
      if (life !== this.#life) return 'unknown';
      if (this.#world.isFar) this.restart();
      else this.end();
      return 'unknown';
    }
    // The power failed meanwhile.
    if (life !== this.#life) return 'unknown';
    this.#apply(transaction);
    for (const grown of this.#watchers) {
      this.#world.time.after(this.#world.random.below(100), grown);
    }
    return 'recorded';
  }

  /** Stops serving, until a restart. */
  end(): void {
    this.#life += 1;
    this.#isUp = false;
  }

  /** Ends, and begins again on the same disk after a while. */
  restart(): void {
    this.end();
    const life = this.#life;
    this.#world.time.after(RECOVERY_MS, () => life === this.#life && this.#recover());
  }

  losePower(): void {
    this.disk.losePower();
    this.restart();
  }

  /** Calls a function within 100 ms after each transaction. Returns a function that ends that. */
  watch(grown: () => void): () => void {
    this.#watchers.add(grown);
    return () => this.#watchers.delete(grown);
  }

  #recover(): void {
    const before = this.#transactions;
    this.#events = [];
    this.#kept.clear();
    this.#transactions = 0;
    for (const record of this.disk.recover()) {
      const transaction: Transaction = JSON.parse(record, textAsBigints);
      if (transaction.number !== this.#transactions + 1) {
        this.#world.happened('a later write survived an earlier one');
        break;
      }
      this.#apply(transaction);
    }
    this.#isUp = true;
    this.#world.note(`the database is up, with ${this.#events.length} events`);
    if (this.#events.length < this.known) this.#world.lost(this.#events.length);
    else if (this.#transactions < before) this.#world.lostOutcomes();
  }

  #apply({ number, events, kept }: Transaction): void {
    this.#transactions = number;
    this.#events.push(...events);
    for (const outcome of kept) this.#kept.set(nameText(outcome), outcome);
  }
}
