/** The port between the queue of commands and the write side. */

import type { Outcome, Submission } from '../log/submission.ts';

/**
 * Decides and records commands, in this thread or in a separate one, so that only that one waits
 * for a disk.
 */
export interface BatchWriter {
  /**
   * Decides the commands in order, each on the state left by the previous one, and records all
   * events in one append. Resolves with one outcome per command, at the same index, when it is
   * durable. Must not be called again before the previous call has settled, unless {@link
   * takesMore}. Throws only if the writer is lost.
   *
   * A writer that has to wait before it decides, as for another writer's lock, then takes the
   * `latecomers`: commands that have arrived meanwhile, which are decided after the others. Their
   * outcomes follow those of the batch.
   */
  execute(batch: readonly Submission[], latecomers?: Latecomers): Promise<readonly Outcome[]>;

  /**
   * True while a second batch, without idempotency keys, may follow the one in flight. It is
   * decided at once, on the events that the first is about to record, and settles after it. Absent
   * if batches are never pipelined.
   */
  readonly takesMore?: boolean;
}

/** Returns the commands that have arrived since the last call. None has an idempotency key. */
export type Latecomers = () => readonly Submission[];
