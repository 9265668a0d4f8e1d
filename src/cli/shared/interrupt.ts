/** The stop of commands by the signals of Ctrl-C and of process managers. */

import { constants } from 'node:os';
import { UserError } from '../../app/lifecycle/user-error.ts';

/** The names of all signals. */
export const ALL_SIGNALS = Object.keys(constants.signals) as readonly NodeJS.Signals[];

/** The signals of Ctrl-C, of process managers, and of a terminal that is closed. */
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls a function at each signal to stop, until the returned function is called. */
export function onStopSignal(stop: () => void): () => void {
  for (const signal of STOP_SIGNALS) process.on(signal, stop);
  return () => {
    for (const signal of STOP_SIGNALS) process.off(signal, stop);
  };
}

/**
 * Runs work that can be stopped: Ctrl-C aborts its signal instead of the process. Further signals
 * are ignored while it cleans up: under npm one Ctrl-C arrives twice.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  stopped = new UserError('Stopped before it was done.'),
): Promise<Result> {
  const controller = new AbortController();
  const settled = onStopSignal(() => controller.abort(stopped));
  try {
    return await work(controller.signal);
  } finally {
    settled();
  }
}

/**
 * Runs work until a signal stops it, which counts as success. A failure of its own is thrown after a
 * stop, too.
 */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopped = new UserError('Stopped.');
  try {
    await interruptible(work, stopped);
  } catch (error) {
    if (error !== stopped) throw error;
  }
}
