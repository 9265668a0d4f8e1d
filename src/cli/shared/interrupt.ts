import { CannotStart } from '../../app/lifecycle/cannot-start.ts';

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
  const abort = () => controller.abort(new CannotStart('Stopped before it was done.'));
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}
