import { loopUtilization, nextTurn, pause } from './event-loop.ts';
import type { BatchWriter } from './ports/batch-writer.ts';
import type { Store } from './ports/store.ts';
import type { Outcome, Submission } from './submission.ts';

/** How many commands may wait; the next one is told that the service is busy. */
const MAX_WAITING = 16_384;
/** How many commands one batch may hold: it bounds how long the log's lock is held. */
const MAX_BATCH = 1_024;
/** How long others give way to a batch, in milliseconds. */
const PATIENCE = 5;
/** From how many commands on it is worth to record them in two batches. */
const WORTH_TWO = 16;

interface Waiting {
  readonly submission: Submission;
  readonly settle: (outcome: Outcome) => void;
}

/**
 * The queue before the write side. While one batch is being recorded, commands gather; all that
 * have gathered are the next batch, so one flush to disk pays for many commands (group commit).
 *
 * Clients wait for their answers before they ask again. So with one batch for all of them, either
 * the log works or this thread does, which answers and reads. Where this thread has more to do than
 * the log, a batch is half of the commands under way at most: the log works on one half of the
 * clients' commands, and this thread on the other. Where the log has more to do, as on a slow disk,
 * that would only make two flushes out of one.
 *
 * Where others append to the log, a batch has to wait for their locks before it is decided. Whatever
 * comes meanwhile joins it, and the next batch is whole: the log is then what there is too little of.
 */
export class CommandProcessor {
  readonly #writer: BatchWriter;
  readonly #stopped: (cause: string) => void;
  readonly #inDoubt: Store['inDoubt'];
  readonly #busy: () => number;
  #waiting: Waiting[] = [];
  #working: Promise<void> | undefined;
  #recording: Promise<readonly Outcome[]> | undefined;
  /** Whether the last batch had to wait before it was decided, as for a lock that others held. */
  #hasWaited = false;
  #doubt: string | undefined;

  /**
   * @param stopped Called once, after an outcome was in doubt or the writer was lost: nothing is
   * recorded from then on, and the process should end, so that the next start reads what is true.
   * @param inDoubt Whether an outcome in doubt is reason enough: see {@link Store.inDoubt}.
   * @param busy For how much of the time this thread was busy since it was last asked, 0 to 1.
   */
  constructor(
    writer: BatchWriter,
    stopped: (cause: string) => void,
    inDoubt: Store['inDoubt'] = 'stop',
    busy = loopUtilization(),
  ) {
    this.#writer = writer;
    this.#stopped = stopped;
    this.#inDoubt = inDoubt;
    this.#busy = busy;
  }

  /** Resolves with what became of the command, when that is durable. Never rejects. */
  submit(submission: Submission): Promise<Outcome> {
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.resolve({ kind: 'unavailable', cause: 'too many commands are waiting' });
    }
    return new Promise((settle) => {
      this.#waiting.push({ submission, settle });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when every command submitted so far has its outcome. */
  async drained(): Promise<void> {
    await this.#working;
  }

  /**
   * For work that takes long and can wait: resolves when the batch that is being recorded is done,
   * or after a few milliseconds, because a disk may be slow; at once where there is none.
   */
  async giveWay(): Promise<void> {
    await Promise.race([this.#recording, pause(PATIENCE)]);
  }

  async #work(): Promise<void> {
    // Whatever arrives in the same turn of the event loop joins the first batch.
    await nextTurn();
    let batch = this.#take(0);
    this.#recording = this.#execute(batch);
    while (this.#recording !== undefined) {
      const outcomes = await this.#recording;
      // The next batch is on its way before this one is answered: to answer takes longer.
      const next = this.#take(batch.length);
      this.#recording = next.length > 0 ? this.#execute(next) : undefined;
      batch.forEach(({ settle }, index) => {
        settle(outcomes[index] as Outcome);
      });
      batch = next;
    }
    this.#working = undefined;
  }

  /** @param answered How many commands are about to be answered. */
  #take(answered: number): Waiting[] {
    const underWay = this.#waiting.length + answered;
    const isHalf = underWay >= WORTH_TWO && !this.#hasWaited && this.#busy() > 0.5;
    const most = isHalf ? Math.ceil(underWay / 2) : MAX_BATCH;
    return this.#waiting.splice(0, Math.min(most, MAX_BATCH));
  }

  /** Lets those that wait join a batch, up to the first of them that has an idempotency key. */
  #join(batch: Waiting[]): readonly Waiting[] {
    const keyed = this.#waiting.findIndex(
      ({ submission }) => submission.idempotencyKey !== undefined,
    );
    const most = keyed === -1 ? this.#waiting.length : keyed;
    const joined = this.#waiting.splice(0, Math.min(most, MAX_BATCH - batch.length));
    batch.push(...joined);
    return joined;
  }

  async #execute(batch: Waiting[]): Promise<readonly Outcome[]> {
    const doubt = this.#doubt;
    if (doubt !== undefined) return batch.map(() => ({ kind: 'unavailable', cause: doubt }));
    let isAtOnce = true;
    const latecomers = () => {
      this.#hasWaited = !isAtOnce;
      return isAtOnce ? [] : submissionsOf(this.#join(batch));
    };
    try {
      const executed = this.#writer.execute(submissionsOf(batch), latecomers);
      isAtOnce = false;
      const outcomes = await executed;
      const unknown = outcomes.find(({ kind }) => kind === 'unknown');
      if (unknown?.kind === 'unknown' && this.#inDoubt === 'stop') this.#stop(unknown.cause);
      return outcomes;
    } catch (error) {
      const cause = String(error);
      this.#stop(cause);
      return batch.map(() => ({ kind: 'unknown', cause }));
    }
  }

  #stop(cause: string): void {
    this.#doubt = cause;
    this.#stopped(cause);
  }
}

function submissionsOf(waiting: readonly Waiting[]): readonly Submission[] {
  return waiting.map(({ submission }) => submission);
}
