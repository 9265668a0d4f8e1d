import type { Snapshots } from '../ports/snapshots.ts';
import type { OrderList } from '../state/order-list.ts';

/** A start folds this many events in about a tenth of a second. */
const MIN_NEW_EVENTS = 50_000;

/** Saves the list for the next start if enough events were folded since the last snapshot. */
export class SnapshotKeeper {
  readonly #snapshots: Snapshots;
  readonly #list: OrderList<unknown>;
  readonly #minNewEvents: number;
  #savedPosition: number;
  #saving: Promise<Error | undefined> = Promise.resolve(undefined);

  /**
   * Must be constructed before the list folds an event that the present snapshot lacks.
   * @param minNewEvents The number of events since the last snapshot that make a new one worth its
   *   cost.
   */
  constructor(snapshots: Snapshots, list: OrderList<unknown>, minNewEvents = MIN_NEW_EVENTS) {
    this.#snapshots = snapshots;
    this.#list = list;
    this.#savedPosition = list.position;
    this.#minNewEvents = minNewEvents;
  }

  /** The position of the snapshot loaded or saved last; 0 if there is none. */
  get position(): number {
    return this.#savedPosition;
  }

  /**
   * Saves the present list if enough events are new. Resolves when no write is in flight any more,
   * with the error if one failed: then the next start takes longer, and nothing is lost.
   */
  keep(): Promise<Error | undefined> {
    const snapshots = this.#snapshots;
    if (
      snapshots.save !== undefined &&
      this.#list.position - this.#savedPosition >= this.#minNewEvents
    ) {
      this.#savedPosition = this.#list.position;
      const list = this.#list.pack();
      this.#saving = this.#saving
        .then(() => snapshots.save?.(list))
        .then(
          () => undefined,
          (error: Error) => error,
        );
    }
    return this.#saving;
  }
}
