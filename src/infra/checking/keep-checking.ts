/** The thread that checks a store: its rounds, its pace, and what it reports to the service. */

import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { isDamage } from '../../app/ports/store.ts';

/** Waits until more may be read, after so many bytes. */
export type Pace = (bytes: number) => Promise<unknown>;

/** Reads on at once. */
export const UNPACED: Pace = async () => undefined;

/** Shorter waits than this are put off: a timer is not more exact. */
const MIN_WAIT_MS = 20;

/** Makes a pace of a number of bytes a second. */
export function paceOf(bytesPerSecond: number): Pace {
  let dueMs = performance.now();
  return async (bytes) => {
    const nowMs = performance.now();
    // Bytes that were not read in time are not read faster later.
    dueMs = Math.max(dueMs, nowMs) + (bytes / bytesPerSecond) * 1_000;
    if (dueMs - nowMs >= MIN_WAIT_MS) await setTimeout(dueMs - nowMs);
  };
}

/** The pause between two rounds: a small store is read in no time. */
const ROUND_PAUSE_MS = 10_000;

/** A message from the thread. */
export type FromCheck =
  /** Everything was checked once. */
  | { readonly kind: 'checked' }
  | { readonly kind: 'damaged'; readonly message: string }
  /** A round could not be made, for a reason that may pass. */
  | { readonly kind: 'failed'; readonly message: string };

/** The store that a thread is to check. */
export interface ToCheck {
  /** The store's file, or the address of its database. */
  readonly at: string;
  /** The rate of all rounds but the first; 0: there is no other. */
  readonly bytesPerSecond: number;
  /** See {@link StoreCheck.isShort}: the first round is waited for. */
  readonly isShort: boolean;
}

/**
 * Checks a store once as fast as it can be read, and then at a bounded rate for ever. Ends at the
 * first damage.
 * @param bytesPerSecond The rate after the first round; 0: there is no other.
 */
export async function keepChecking(
  check: (pace: Pace) => Promise<void>,
  bytesPerSecond: number,
  report: (message: FromCheck) => void,
  pauseMs = ROUND_PAUSE_MS,
): Promise<void> {
  let pace = UNPACED;
  for (;;) {
    try {
      await check(pace);
      if (pace === UNPACED) report({ kind: 'checked' });
      pace = paceOf(bytesPerSecond);
    } catch (error) {
      const { message } = error as Error;
      report({ kind: isDamage(error) ? 'damaged' : 'failed', message });
      if (isDamage(error)) return;
    }
    if (bytesPerSecond === 0) return;
    await setTimeout(pauseMs);
  }
}

/** Runs a thread that checks a store for the service. Its other end: checking-thread.ts. */
export function runChecks(check: (at: string, pace: Pace) => Promise<void>): Promise<void> {
  const { at, bytesPerSecond, isShort } = workerData as ToCheck;
  if (!isShort) lowerPriority();
  const report = (message: FromCheck) => {
    parentPort?.postMessage(message);
    // Nobody waits any more.
    lowerPriority();
  };
  return keepChecking((pace) => check(at, pace), bytesPerSecond, report);
}

/**
 * Lets all other threads of the machine go first, so that where the processors are busy, requests are
 * not slower for the check. Linux has priorities of threads; elsewhere this changes nothing.
 */
function lowerPriority(): void {
  try {
    const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
    setPriority(Number(thread), constants.priority.PRIORITY_LOW);
  } catch {
    // There is no such file, or it may not be changed: the bounded rate has to do.
  }
}
