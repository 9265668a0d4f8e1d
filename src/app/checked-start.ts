import { pause } from './event-loop.ts';
import { isDamage } from './ports/store.ts';
import type { StoreCheck } from './ports/store-check.ts';

/**
 * Waits until a store was checked once: to the end where that is short, and otherwise for half as long
 * as the start has taken so far. Throws {@link DamagedStore} where the store is found damaged by then.
 * @param spent How long the start has taken, in milliseconds.
 * @param failed Is told why the check could not be made.
 */
export async function untilChecked(
  check: StoreCheck | undefined,
  spent: number,
  failed: (error: Error) => void,
): Promise<void> {
  if (check === undefined) return;
  const checked = check.once.catch((error: Error) => {
    if (isDamage(error)) throw error;
    failed(error);
  });
  if (check.isShort) return checked;
  await Promise.race([checked, pause(spent / 2)]);
}
