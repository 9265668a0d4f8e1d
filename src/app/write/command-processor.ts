import { loopUtilization, pause } from '../event-loop.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import type { Store } from '../ports/store.ts';
import { CommandQueue } from './command-queue.ts';
import { Pipeline } from './pipeline.ts';

/** Bounds the pause of other work for a batch: a disk may be slow. */
const MAX_GIVE_WAY_MS = 5;

/** The way of every command to the write side: into a queue, and from there into batches. */
export class CommandProcessor {
  readonly #waiting = new CommandQueue();
  readonly #pipeline: Pipeline;

  /**
   * @param stopped Called once, after an outcome was in doubt or the writer was lost: nothing is
   * recorded from then on, and the process should end, so that the next start reads what is true.
   * @param inDoubt Whether an outcome in doubt is reason enough: see {@link Store.inDoubt}.
   * @param utilization Returns the event loop's utilization (0 to 1) since the previous call.
   */
  constructor(
    writer: BatchWriter,
    stopped: (cause: string) => void,
    inDoubt: Store['inDoubt'] = 'stop',
    utilization = loopUtilization(),
  ) {
    this.#pipeline = new Pipeline(writer, this.#waiting, { stopped, inDoubt, utilization });
  }

  /** The number of commands in no batch yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves with the command's outcome, when that is durable. Never rejects. */
  submit(submission: Submission): Promise<Outcome> {
    if (this.#waiting.isFull) {
      return Promise.resolve({ kind: 'unavailable', cause: 'too many commands are waiting' });
    }
    return new Promise((resolve) => {
      this.#waiting.add({ submission, resolve });
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
