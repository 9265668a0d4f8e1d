import { setTimeout } from 'node:timers/promises';
import { isDamage } from '../app/ports/store.ts';
import { AT_ONCE, type Pace, paceOf } from './pace.ts';

/** How long a round is followed by nothing, in milliseconds: small stores are done in no time. */
const ROUND_PAUSE_MS = 10_000;

/** What a thread that checks a store says. */
export type FromCheck =
  /** Everything was checked once. */
  | { readonly kind: 'checked' }
  | { readonly kind: 'damaged'; readonly message: string }
  /** A round could not be made, for a reason that may pass. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Checks a store once as fast as it goes, and then at a bounded rate for ever. Ends at the first damage.
 * @param bytesPerSecond 0: only once.
 */
export async function keepChecking(
  check: (pace: Pace) => Promise<void>,
  bytesPerSecond: number,
  tell: (message: FromCheck) => void,
  pauseMs = ROUND_PAUSE_MS,
): Promise<void> {
  let pace = AT_ONCE;
  for (;;) {
    try {
      await check(pace);
      if (pace === AT_ONCE) tell({ kind: 'checked' });
      pace = paceOf(bytesPerSecond);
    } catch (error) {
      const { message } = error as Error;
      tell({ kind: isDamage(error) ? 'damaged' : 'failed', message });
      if (isDamage(error)) return;
    }
    if (bytesPerSecond === 0) return;
    await setTimeout(pauseMs);
  }
}
