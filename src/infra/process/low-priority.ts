/** The priority of threads that do what can wait. */

import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Gives this thread the lowest priority, so that on a busy machine its work does not slow down
 * requests. Only Linux has priorities of threads; elsewhere this changes nothing. Returns the reason
 * if it is forbidden, as a filter of system calls may do: the limited rate has to suffice then.
 */
export function lowerPriority(): string | undefined {
  const thread = threadId();
  if (thread === undefined) return undefined;
  try {
    setPriority(thread, constants.priority.PRIORITY_LOW);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function threadId(): number | undefined {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return undefined;
  }
}
