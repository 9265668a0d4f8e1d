import type { Outcome, Submission } from '../submission.ts';

/**
 * The port between the queue of commands and whoever decides and records them: in the same
 * thread, or, so that the event loop never waits for a disk, in a worker thread.
 */
export interface BatchWriter {
  /**
   * Decides the commands in order, each on the state that the one before it left, and records all
   * events in one append. One outcome per command, at the same index, when it is durable. Not
   * called again before the call before it has settled, unless {@link takesMore}. Throws only if the
   * writer is lost.
   *
   * A writer that has to wait before it decides, as for a lock that others hold, may then ask for
   * `latecomers`: commands that have come meanwhile, to be decided behind the others. Their outcomes
   * stand behind those of the batch.
   */
  execute(batch: readonly Submission[], latecomers?: Latecomers): Promise<readonly Outcome[]>;

  /**
   * Whether a second batch, in which nothing has an idempotency key, may follow the one under way. It is
   * decided at once, on what that one is about to record, and settles after it. Absent where it never may.
   */
  readonly takesMore?: boolean;
}

/** Gives each command once. None of them has an idempotency key. */
export type Latecomers = () => readonly Submission[];
