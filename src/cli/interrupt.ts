import { CannotStart } from '../app/cannot-start.ts';

/** Ctrl-C, or what a process manager sends. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Somebody has pressed Ctrl-C: there is nothing wrong, and nothing more to be done. */
class Interrupted extends CannotStart {
  constructor() {
    super('Stopped before it was done.');
  }
}

/**
 * Runs work that can be stopped: its signal is aborted by Ctrl-C instead of the process. Until it has
 * cleaned up, more of the same changes nothing: under npm one Ctrl-C arrives twice.
 */
export async function interruptible<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = () => controller.abort(new Interrupted());
  for (const signal of SIGNALS) process.on(signal, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, abort);
  }
}
