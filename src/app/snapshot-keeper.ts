import type { OrderList } from './order-list.ts';
import type { Snapshots } from './ports/snapshots.ts';

/** To fold fewer events than this takes a start less than a tenth of a second. */
const WORTH_KEEPING = 50_000;

/** Decides when the list is kept for the next start. */
export class SnapshotKeeper {
  readonly #snapshots: Snapshots;
  readonly #list: OrderList<unknown>;
  readonly #worth: number;
  #kept: number;
  #saving: Promise<Error | undefined> = Promise.resolve(undefined);

  /**
   * Must be made before the list folds anything that the present snapshot lacks.
   * @param worth How many events make a new snapshot worth its while.
   */
  constructor(snapshots: Snapshots, list: OrderList<unknown>, worth = WORTH_KEEPING) {
    this.#snapshots = snapshots;
    this.#list = list;
    this.#kept = list.position;
    this.#worth = worth;
  }

  /**
   * Keeps the list as it is now, if much has happened since it was last kept. Resolves when nothing
   * is being written any more, with the reason if that failed: a start will take longer, and
   * nothing else is lost.
   */
  keep(): Promise<Error | undefined> {
    const snapshots = this.#snapshots;
    if (snapshots.save !== undefined && this.#list.position - this.#kept >= this.#worth) {
      this.#kept = this.#list.position;
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
