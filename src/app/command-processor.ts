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

interface Batch {
  readonly commands: readonly Waiting[];
  readonly recording: Promise<readonly Outcome[]>;
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
 * Where this thread is done with its half before the log is with the other, it need not wait: a second
 * batch, as large as the first, follows that one to a writer that takes it.
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
  /** The batches that are being recorded: one, or two of which the second follows the first. */
  readonly #underWay: Batch[] = [];
  /** Whether the last batch was half of what was under way. */
  #isHalved = false;
  /** Whether a second batch is about to be sent. */
  #isGathering = false;
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
      this.#considerSecond();
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
    await Promise.race([this.#underWay[0]?.recording, pause(PATIENCE)]);
  }

  async #work(): Promise<void> {
    // Whatever arrives in the same turn of the event loop joins the first batch.
    await nextTurn();
    this.#send(this.#take(0));
    for (let [batch] = this.#underWay; batch !== undefined; [batch] = this.#underWay) {
      this.#considerSecond();
      const outcomes = await batch.recording;
      this.#underWay.shift();
      // The next batch is on its way before this one is answered: to answer takes longer.
      if (this.#underWay.length === 0) this.#send(this.#take(batch.commands.length));
      batch.commands.forEach(({ settle }, index) => {
        settle(outcomes[index] as Outcome);
      });
    }
    this.#working = undefined;
  }

  #send(commands: Waiting[]): void {
    if (commands.length > 0) this.#underWay.push({ commands, recording: this.#execute(commands) });
  }

  /** Sends a second batch behind the one under way, if it is worth it. */
  #considerSecond(): void {
    if (this.#isGathering || !this.#isWorthSecond()) return;
    this.#isGathering = true;
    // Whatever arrives in the same turn joins this one, too.
    void nextTurn().then(() => {
      this.#isGathering = false;
      if (this.#isWorthSecond()) this.#send(this.#takeUnkeyed(MAX_BATCH));
    });
  }

  #isWorthSecond(): boolean {
    const [first, second] = this.#underWay;
    return (
      first !== undefined &&
      second === undefined &&
      this.#isHalved &&
      this.#waiting.length >= first.commands.length &&
      this.#writer.takesMore === true
    );
  }

  /** @param answered How many commands are about to be answered. */
  #take(answered: number): Waiting[] {
    const underWay = this.#waiting.length + answered;
    this.#isHalved = underWay >= WORTH_TWO && !this.#hasWaited && this.#busy() > 0.5;
    const most = this.#isHalved ? Math.ceil(underWay / 2) : MAX_BATCH;
    return this.#waiting.splice(0, Math.min(most, MAX_BATCH));
  }

  /** Takes so many at most, up to the first that has an idempotency key. */
  #takeUnkeyed(most: number): Waiting[] {
    const keyed = this.#waiting.findIndex(
      ({ submission }) => submission.idempotencyKey !== undefined,
    );
    return this.#waiting.splice(0, keyed === -1 ? most : Math.min(keyed, most));
  }

  /** Lets those that wait join a batch. */
  #join(batch: Waiting[]): readonly Waiting[] {
    const joined = this.#takeUnkeyed(MAX_BATCH - batch.length);
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
