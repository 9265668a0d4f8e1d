/** The priority of threads that do what can wait. */

import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Gives this thread the lowest priority, so that on a busy machine its work does not slow down
 * requests. Only Linux has priorities of threads; elsewhere this changes nothing.
 */
export function lowerPriority(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  } catch {
    // Not Linux, or not permitted: the limited rate has to suffice.
  }
}
