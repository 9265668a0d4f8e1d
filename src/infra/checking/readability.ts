import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';
import { Reported } from './reported.ts';

/**
 * Reports that the log of a store cannot be read, and that it can again, by the looks at its head that
 * are made while the store is served: a service whose every request fails is not ready.
 */
export class Readability {
  readonly #watcher: Pick<StoreWatcher, 'impaired' | 'mended'>;
  readonly #unreadable: Reported;

  constructor(watcher: Pick<StoreWatcher, 'impaired' | 'mended'>) {
    this.#watcher = watcher;
    this.#unreadable = new Reported(watcher, 'store_unreadable');
  }

  /** Must be called after each look, with its error if it failed. */
  note(error: Error | undefined): void {
    if (error !== undefined && isDamage(error)) this.#watcher.impaired('store_damaged', error);
    else this.#unreadable.note(error);
  }
}
