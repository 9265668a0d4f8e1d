import type { Outcome, Submission } from '../submission.ts';

/**
 * The port between the queue of commands and whoever decides and records them: in the same
 * thread, or, so that the event loop never waits for a disk, in a worker thread.
 */
export interface BatchWriter {
  /**
   * Decides the commands in order, each on the state that the one before it left, and records all
   * events in one append. One outcome per command, at the same index, when it is durable. Never
   * called again before the call before it has settled. Throws only if the writer is lost.
   *
   * A writer that has to wait before it decides, as for a lock that others hold, may then ask for
   * `latecomers`: commands that have come meanwhile, to be decided behind the others. Their outcomes
   * stand behind those of the batch.
   */
  execute(batch: readonly Submission[], latecomers?: Latecomers): Promise<readonly Outcome[]>;
}

/** Gives each command once. None of them has an idempotency key. */
export type Latecomers = () => readonly Submission[];
