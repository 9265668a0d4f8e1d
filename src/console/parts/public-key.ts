/** The public key that proofs are verified with: the reader's own, kept for the tab if that is asked for. */
const ENTRY = 'store-orders-console-public-key';

export function keptPublicKey(): string {
  return sessionStorage.getItem(ENTRY) ?? '';
}

export function keepPublicKey(key: string, isKept: boolean): void {
  if (isKept) sessionStorage.setItem(ENTRY, key);
  else sessionStorage.removeItem(ENTRY);
}
