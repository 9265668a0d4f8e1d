/** A storage that may be blocked or full. Then nothing is kept, and nothing is thrown. */
import type { KeyStorage } from './key-holder.ts';

/** @param open Returns the storage. Browsers that block it throw there already. */
export function guarded(open: () => KeyStorage): KeyStorage {
  const tried = <Value>(use: (storage: KeyStorage) => Value): Value | null => {
    try {
      return use(open());
    } catch {
      return null;
    }
  };
  return {
    getItem: (name) => tried((storage) => storage.getItem(name)),
    setItem: (name, value) => void tried((storage) => storage.setItem(name, value)),
    removeItem: (name) => void tried((storage) => storage.removeItem(name)),
  };
}
