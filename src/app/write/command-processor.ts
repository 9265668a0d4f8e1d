/** The entrance of the write side: a queue of commands, and the pipeline of batches behind it. */

import { loopUtilization, pause } from '../event-loop.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import type { Store } from '../ports/store.ts';
import { CommandQueue, type QueueOptions } from './queue/command-queue.ts';
import { Pipeline } from './queue/pipeline.ts';
import type { Client, WaitingRequest } from './queue/waiting-request.ts';

/** The longest pause of other work for a batch: a disk may be slow. */
const MAX_GIVE_WAY_MS = 5;

export interface ProcessorOptions extends QueueOptions {
  /** The effect of an outcome in doubt: see {@link Store.inDoubt}. */
  readonly inDoubt?: Store['inDoubt'] | undefined;
  /** Returns the event loop's utilization (0 to 1) since the previous call. */
  readonly utilization?: () => number;
}

/** Accepts commands, queues them, and records them in batches. */
export class CommandProcessor {
  readonly #waiting: CommandQueue;
  readonly #pipeline: Pipeline;

  /**
   * @param stopped Called once, after an outcome was in doubt or the writer was lost. Nothing is
   *   recorded from then on, and the process should end: the next start reads the truth.
   */
  constructor(
    writer: BatchWriter,
    stopped: (cause: string) => void,
    { inDoubt = 'stop', utilization = loopUtilization(), ...queue }: ProcessorOptions = {},
  ) {
    this.#waiting = new CommandQueue(queue);
    this.#pipeline = new Pipeline(writer, this.#waiting, { stopped, inDoubt, utilization });
  }

  /** The commands that wait for a batch, and the counts of those that never were in one. */
  get waiting(): Pick<CommandQueue, 'length' | 'ageMs' | 'ended'> {
    return this.#waiting;
  }

  /** The sizes and the durations of the batches that were recorded. */
  get recorded(): Pick<Pipeline, 'commands' | 'seconds'> {
    return this.#pipeline;
  }

  /**
   * Resolves with the command's outcome when it is durable, or with the reason why the command was
   * refused undecided. Never rejects.
   * @param client If it disconnects before the command is in a batch, the command is dropped.
   */
  submit(submission: Submission, client?: Client): Promise<Outcome> {
    return new Promise((resolve) => {
      const answer = ([outcome]: readonly Outcome[]) => resolve(outcome as Outcome);
      this.#add({ submissions: [submission], resolve: answer, client });
    });
  }

  /**
   * Resolves with the outcomes of a group of commands, in their order: see {@link Group}. If they could
   * not be decided, they all have the same outcome. Otherwise as {@link submit}.
   */
  submitGroup(submissions: readonly Submission[], client?: Client): Promise<readonly Outcome[]> {
    return new Promise((resolve) => {
      this.#add({ submissions, resolve, client });
    });
  }

  #add(request: WaitingRequest): void {
    this.#waiting.add(request);
    this.#pipeline.advance();
  }

  /** Resolves when every command submitted so far has its outcome. */
  async drained(): Promise<void> {
    await this.#pipeline.drained();
  }

  /**
   * Lets commands go first, before long work such as a list. Resolves when the batch in flight is
   * recorded, at once if there is none, and after 5 ms at the latest.
   */
  async giveWay(): Promise<void> {
    await Promise.race([this.#pipeline.recording, pause(MAX_GIVE_WAY_MS)]);
  }
}
