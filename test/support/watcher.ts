import type { StoreWatcher } from '../../src/app/ports/store.ts';

/** A watcher of a store to whom nothing matters but what it is given. */
export function watcher(given: Partial<StoreWatcher> = {}): StoreWatcher {
  return { lost() {}, impaired() {}, mended() {}, noticed() {}, ...given };
}
