/** Keeps the snapshot of the list new enough for a quick start. */
import { CLOCKS } from '../clock.ts';
import type { PackedList } from '../log/packed-fold.ts';
import type { Snapshots } from '../ports/snapshots.ts';
import type { OrderList } from '../state/order-list.ts';

/** A start folds this many events in about a tenth of a second. */
const MIN_NEW_EVENTS = 50_000;
/** The pause after a renewal, in times of what it took: of a large store it takes a while. */
const REST = 10;

export interface KeeperOptions {
  /** The number of events since the last snapshot that make a new one worth its cost. */
  readonly minNewEvents?: number;
  /** Called when a snapshot could not be saved: then the next start takes longer. */
  readonly failed: (error: Error) => void;
  /** Returns the reason why the memory does not suffice for a second list of so many events. */
  readonly against: (events: number) => Error | undefined;
}

/**
 * Saves the list for the next start if enough events were folded since the last snapshot. One is made at
 * a time, and nothing is lost without any.
 */
export class SnapshotKeeper {
  readonly #snapshots: Snapshots;
  readonly #list: OrderList<unknown>;
  readonly #minNewEvents: number;
  readonly #failed: (error: Error) => void;
  readonly #against: (events: number) => Error | undefined;
  readonly #closing = new AbortController();
  #savedPosition: number;
  /** The position of the newest list that is saved or about to be. */
  #keptPosition: number;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isShortOfMemory = false;

  /** Must be constructed before the list folds an event that the present snapshot lacks. */
  constructor(
    snapshots: Snapshots,
    list: OrderList<unknown>,
    { failed, minNewEvents = MIN_NEW_EVENTS, against }: KeeperOptions,
  ) {
    this.#snapshots = snapshots;
    this.#list = list;
    this.#savedPosition = list.position;
    this.#keptPosition = list.position;
    this.#minNewEvents = minNewEvents;
    this.#failed = failed;
    this.#against = against;
  }

  /** The position of the snapshot loaded or saved last; 0 if there is none. */
  get position(): number {
    return this.#savedPosition;
  }

  /** Saves the present list if enough events are new. Resolves when no write is in flight any more. */
  keep(): Promise<void> {
    if (this.#snapshots.save !== undefined && this.#isDue) {
      const { position } = this.#list;
      const list = this.#list.pack();
      this.#keptPosition = position;
      this.#saving = this.#saving.then(() => this.#save(list, position));
    }
    return this.#saving;
  }

  /** From now on, renews the snapshot in an interval if enough events are new. */
  follow(everyMs: number): void {
    const round = async () => {
      const begunMs = CLOCKS.elapsed();
      this.#saving = this.#saving.then(() => this.#renew());
      await this.#saving;
      const restMs = REST * (CLOCKS.elapsed() - begunMs);
      if (!this.#closing.signal.aborted) wait(Math.max(everyMs, restMs));
    };
    const wait = (waitMs: number) => {
      this.#timer = setTimeout(round, waitMs).unref();
    };
    wait(everyMs);
  }

  /** Ends a renewal in progress, and saves the present list if enough events are new. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort(new Error('the service stops'));
    await this.#saving;
    await this.keep();
  }

  get #isDue(): boolean {
    return this.#list.position - this.#keptPosition >= this.#minNewEvents;
  }

  async #save(list: PackedList, position: number): Promise<void> {
    try {
      await this.#snapshots.save?.(list);
      this.#savedPosition = position;
    } catch (error) {
      // It is due again, unless a newer one is about to be saved.
      if (this.#keptPosition === position) this.#keptPosition = this.#savedPosition;
      this.#failed(error as Error);
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#closing;
    if (!this.#isDue || signal.aborted || !this.#hasMemory()) return;
    try {
      this.#savedPosition = (await this.#snapshots.renew?.(signal)) ?? this.#savedPosition;
      this.#keptPosition = this.#savedPosition;
    } catch (error) {
      if (!signal.aborted) this.#failed(error as Error);
    }
  }

  /** Reports once that the memory does not suffice: it lasts. */
  #hasMemory(): boolean {
    const reason = this.#against(this.#list.position);
    if (reason !== undefined && !this.#isShortOfMemory) this.#failed(reason);
    this.#isShortOfMemory = reason !== undefined;
    return reason === undefined;
  }
}
