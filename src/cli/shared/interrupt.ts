/** The stop of commands by the signals of Ctrl-C and of process managers. */

import { UserError } from '../../app/lifecycle/user-error.ts';

/** The signals of Ctrl-C and of process managers. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that can be stopped: Ctrl-C aborts its signal instead of the process. Further signals
 * are ignored while it cleans up: under npm one Ctrl-C arrives twice.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(new UserError('Stopped before it was done.'));
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}

/**
 * Runs work until a signal stops it, which counts as success. A failure of its own is thrown after a
 * stop, too.
 */
export async function untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stopped = new UserError('Stopped.');
  const controller = new AbortController();
  const stop = () => controller.abort(stopped);
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    await work(controller.signal);
  } catch (error) {
    if (error !== stopped) throw error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}
