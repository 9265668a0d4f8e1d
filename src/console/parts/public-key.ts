/** The public key that proofs are verified with: the reader's own, kept for the tab if that is asked for. */
import { tabStorage } from './storage.ts';

const ENTRY = 'store-orders-console-public-key';

export function keptPublicKey(): string {
  return tabStorage.getItem(ENTRY) ?? '';
}

export function keepPublicKey(key: string, isKept: boolean): void {
  if (isKept) tabStorage.setItem(ENTRY, key);
  else tabStorage.removeItem(ENTRY);
}
