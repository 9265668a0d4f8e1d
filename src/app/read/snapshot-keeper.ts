import type { Snapshots } from '../ports/snapshots.ts';
import type { OrderList } from '../state/order-list.ts';

/** A start folds fewer events than this in less than a tenth of a second. */
const MIN_NEW_EVENTS = 50_000;

/** Saves the list for the next start, when enough events have been folded since the last time. */
export class SnapshotKeeper {
  readonly #snapshots: Snapshots;
  readonly #list: OrderList<unknown>;
  readonly #minNewEvents: number;
  #savedPosition: number;
  #saving: Promise<Error | undefined> = Promise.resolve(undefined);

  /**
   * Must be made before the list folds anything that the present snapshot lacks.
   * @param minNewEvents The number of events since the last snapshot that make a new one worth its cost.
   */
  constructor(snapshots: Snapshots, list: OrderList<unknown>, minNewEvents = MIN_NEW_EVENTS) {
    this.#snapshots = snapshots;
    this.#list = list;
    this.#savedPosition = list.position;
    this.#minNewEvents = minNewEvents;
  }

  /** The position of the snapshot that was loaded, or saved last; 0 if there is none. */
  get position(): number {
    return this.#savedPosition;
  }

  /**
   * Saves the list as it is now, if enough events are new. Resolves when nothing is being written any
   * more, with the reason if that failed: the next start will take longer, and nothing is lost.
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
