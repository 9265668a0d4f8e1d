/** The thread that checks a store: its rounds, its rate, and its reports to the service. */

import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { nextTurn } from '../../app/event-loop.ts';
import { AlteredSchema, isDamage } from '../../app/ports/store.ts';
import { lowerPriority } from '../process/low-priority.ts';

/** Resolves when more may be read, after a number of bytes. */
export type Pace = (bytes: number) => Promise<unknown>;

/** Waits for nothing but a turn of the event loop, in which a thread may be asked to end. */
export const UNPACED: Pace = nextTurn;

/** Shorter waits are added to later ones: timers are not precise enough. */
const MIN_WAIT_MS = 20;

/** Returns a pace that limits reads to a number of bytes a second. */
export function paceOf(bytesPerSecond: number): Pace {
  let dueMs = performance.now();
  return async (bytes) => {
    const nowMs = performance.now();
    // A delay is not made up for by reading faster later.
    dueMs = Math.max(dueMs, nowMs) + (bytes / bytesPerSecond) * 1_000;
    if (dueMs - nowMs >= MIN_WAIT_MS) await setTimeout(dueMs - nowMs);
  };
}

/** The pause between two rounds, without which a small store would be read all the time. */
const ROUND_PAUSE_MS = 10_000;

/** A message from the thread. */
export type FromCheck =
  /** Everything was checked once, or once more after it was altered. */
  | { readonly kind: 'checked' }
  | { readonly kind: 'damaged'; readonly message: string }
  /** The schema differs, until a later round reports that everything was checked. */
  | { readonly kind: 'altered'; readonly message: string }
  /** A round failed, for a reason that may pass. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The thread runs at the priority of requests, because the system forbids a lower one. */
  | { readonly kind: 'not_lowered'; readonly message: string };

/** The store that a thread is to check. */
export interface ToCheck {
  /** The store's file, or the address of its database. */
  readonly at: string;
  /** The rate after the first round, which is not limited; 0: there is only one round. */
  readonly bytesPerSecond: number;
  /** See {@link StoreCheck.isShort}: the start waits for the first round. */
  readonly isShort: boolean;
}

/**
 * Checks a store once at full speed, then again and again at a limited rate. Ends at the first
 * damage. While the schema is altered, it continues at full speed: nobody is served.
 * @param bytesPerSecond The rate after the first round; 0: there is only one round.
 */
export async function keepChecking(
  check: (pace: Pace) => Promise<void>,
  bytesPerSecond: number,
  report: (message: FromCheck) => void,
  pauseMs = ROUND_PAUSE_MS,
): Promise<void> {
  let pace = UNPACED;
  for (;;) {
    let isAltered = false;
    try {
      await check(pace);
      if (pace === UNPACED) report({ kind: 'checked' });
      pace = paceOf(bytesPerSecond);
    } catch (error) {
      isAltered = error instanceof AlteredSchema;
      const kind = isAltered ? 'altered' : isDamage(error) ? 'damaged' : 'failed';
      report({ kind, message: (error as Error).message });
      if (kind === 'damaged') return;
      if (isAltered) pace = UNPACED;
    }
    if (bytesPerSecond === 0 && !isAltered) return;
    await setTimeout(pauseMs);
  }
}

/** Runs the checks in this thread, once the service's side, checking-thread.ts, has named the store. */
export async function runChecks(check: (at: string, pace: Pace) => Promise<void>): Promise<void> {
  const [{ at, bytesPerSecond, isShort }] = (await once(parentPort as MessagePort, 'message')) as [
    ToCheck,
  ];
  let isLowered = false;
  const lower = () => {
    if (isLowered) return;
    isLowered = true;
    const message = lowerPriority();
    if (message !== undefined) parentPort?.postMessage({ kind: 'not_lowered', message });
  };
  if (!isShort) lower();
  const report = (message: FromCheck) => {
    parentPort?.postMessage(message);
    // The start no longer waits for this thread.
    lower();
  };
  return keepChecking((pace) => check(at, pace), bytesPerSecond, report);
}
