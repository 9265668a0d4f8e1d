import { nextTurn } from '../event-loop.ts';
import { isDamage, type StoreCheck } from '../ports/store.ts';

/**
 * Waits for the first check of a store if it is short; that of a large store continues while it is
 * served. Throws {@link DamagedStore} if the store is found to be damaged by then.
 * @param failed Called with the error if the check could not be made.
 */
export async function untilChecked(
  check: StoreCheck | undefined,
  failed: (error: Error) => void,
): Promise<void> {
  if (check === undefined) return;
  const checked = check.once.catch((error: Error) => {
    if (isDamage(error)) throw error;
    failed(error);
  });
  if (check.isShort) return checked;
  await Promise.race([checked, nextTurn()]);
}
