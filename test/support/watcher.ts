import type { StoreWatcher } from '../../src/app/ports/store.ts';

/** Returns a store watcher that ignores every event except the given ones. */
export function watcher(given: Partial<StoreWatcher> = {}): StoreWatcher {
  return { lost() {}, impaired() {}, mended() {}, noticed() {}, ...given };
}
