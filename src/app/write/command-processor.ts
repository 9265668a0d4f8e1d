/** The entrance of the write side, and its wiring: the queue, and the pipeline behind it. */

import { loopUtilization, pause } from '../event-loop.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import type { Store } from '../ports/store.ts';
import { type Client, CommandQueue, type QueueOptions } from './command-queue.ts';
import { Pipeline } from './pipeline.ts';

/** Bounds the pause of other work for a batch: a disk may be slow. */
const MAX_GIVE_WAY_MS = 5;

export interface ProcessorOptions extends QueueOptions {
  /** The effect of an outcome in doubt: see {@link Store.inDoubt}. */
  readonly inDoubt?: Store['inDoubt'] | undefined;
  /** Returns the event loop's utilization (0 to 1) since the previous call. */
  readonly utilization?: () => number;
}

/** The way of every command to the write side: into a queue, and from there into batches. */
export class CommandProcessor {
  readonly #waiting: CommandQueue;
  readonly #pipeline: Pipeline;

  /**
   * @param stopped Called once, after an outcome was in doubt or the writer was lost: nothing is
   * recorded from then on, and the process should end, so that the next start reads what is true.
   */
  constructor(
    writer: BatchWriter,
    stopped: (cause: string) => void,
    { inDoubt = 'stop', utilization = loopUtilization(), ...queue }: ProcessorOptions = {},
  ) {
    this.#waiting = new CommandQueue(queue);
    this.#pipeline = new Pipeline(writer, this.#waiting, { stopped, inDoubt, utilization });
  }

  /** The commands in no batch yet, and those that never were in one. */
  get waiting(): Pick<CommandQueue, 'length' | 'ageMs' | 'ended'> {
    return this.#waiting;
  }

  /**
   * Resolves with the command's outcome, when that is durable, or with the reason why it was refused
   * undecided. Never rejects.
   * @param client If it has gone before the command is in a batch, the command is dropped.
   */
  submit(submission: Submission, client?: Client): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#waiting.add({ submission, resolve, client });
      this.#pipeline.advance();
    });
  }

  /** Resolves when every command submitted so far has its outcome. */
  async drained(): Promise<void> {
    await this.#pipeline.drained();
  }

  /**
   * For work that takes long and can wait, such as a long list: resolves when the batch in flight is
   * recorded, or after 5 milliseconds; at once where there is none.
   */
  async giveWay(): Promise<void> {
    await Promise.race([this.#pipeline.recording, pause(MAX_GIVE_WAY_MS)]);
  }
}
