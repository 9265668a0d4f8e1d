import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';

/**
 * Reports that the log of a store cannot be read, and that it can again, by the looks at its head that
 * are made while the store is served: a service whose every request fails is not ready.
 */
export class Readability {
  readonly #watcher: Pick<StoreWatcher, 'impaired' | 'mended'>;
  #isReadable = true;

  constructor(watcher: Pick<StoreWatcher, 'impaired' | 'mended'>) {
    this.#watcher = watcher;
  }

  /** Must be called after each look, with its error if it failed. */
  note(error: Error | undefined): void {
    if (error !== undefined && isDamage(error)) this.#watcher.impaired('store_damaged', error);
    else if (error !== undefined && this.#isReadable) {
      this.#isReadable = false;
      this.#watcher.impaired('store_unreadable', error);
    } else if (error === undefined && !this.#isReadable) {
      this.#isReadable = true;
      this.#watcher.mended('store_unreadable');
    }
  }
}
