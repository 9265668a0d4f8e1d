import { nextTurn } from '../event-loop.ts';
import type { Outcome, Submission } from '../log/submission.ts';
import type { BatchWriter } from '../ports/batch-writer.ts';
import type { Store } from '../ports/store.ts';
import { batchSize, MAX_BATCH_COMMANDS } from './batch-size.ts';
import type { CommandQueue, WaitingCommand } from './command-queue.ts';

/** See {@link CommandProcessor}. */
interface Options extends Pick<Store, 'inDoubt'> {
  readonly stopped: (cause: string) => void;
  readonly utilization: () => number;
}

interface Batch {
  /** Latecomers are added at the end. */
  readonly commands: WaitingCommand[];
  readonly isHalf: boolean;
  readonly recorded: Promise<Recorded>;
}

interface Recorded {
  readonly outcomes: readonly Outcome[];
  /** The reason to record nothing behind this batch; undefined if there is none. */
  readonly doubt: string | undefined;
}

/** A batch is in flight from when it is sent to the writer until it is recorded. */
type State =
  | { readonly kind: 'idle' }
  /** Whatever arrives in the same turn of the event loop joins the first batch. */
  | { readonly kind: 'gathering' }
  | { readonly kind: 'one in flight'; readonly first: Batch }
  /** Whatever arrives in the same turn joins the second batch, too. */
  | { readonly kind: 'gathering second'; readonly first: Batch }
  | { readonly kind: 'two in flight'; readonly first: Batch; readonly second: Batch }
  /** Every command is refused. A second batch may have been in flight when the first one failed. */
  | { readonly kind: 'stopped'; readonly cause: string; readonly first: Batch | undefined };

/**
 * The batches in flight, two at most, as a state machine. While one is recorded, commands gather; all
 * that have gathered are the next batch, so that one flush to disk pays for many (group commit). How
 * many it takes is the policy of `batchSize`; which ones, that of the queue. docs/append-protocols.md
 * draws the transitions.
 *
 * A second batch follows the first at once where this thread is done with its half of the commands
 * before the log is done with the other, and where the writer takes one: 1.09 times the cancellations
 * on PostgreSQL (docs/adr/0016). A batch that waits for another writer's lock is joined by whatever
 * arrives meanwhile: two instances record 1.6 times as many.
 *
 * Invariants, asserted on entry to and exit from every transition:
 *
 * 1. While it is idle, no command waits.
 * 2. The commands taken and not answered are those of the batches in flight, so none is lost and none
 *    is answered twice.
 * 3. A batch has 1 to MAX_BATCH_COMMANDS commands.
 * 4. A second batch follows a half, and nothing in it has an idempotency key.
 *
 * Commands are recorded and answered in the order in which the queue gave them: the first batch is
 * always answered before the second, and only the newest can be joined.
 */
export class Pipeline {
  readonly #writer: BatchWriter;
  readonly #waiting: CommandQueue;
  readonly #options: Options;
  #state: State = { kind: 'idle' };
  /** The number of commands that were taken and are not answered yet. */
  #taken = 0;
  /** True if the batch that was decided last waited for another writer's lock. */
  #isContended = false;
  #run = Promise.resolve();

  constructor(writer: BatchWriter, waiting: CommandQueue, options: Options) {
    this.#writer = writer;
    this.#waiting = waiting;
    this.#options = options;
  }

  /** Resolves when the batch that was sent first is recorded; undefined where none is in flight. */
  get recording(): Promise<unknown> | undefined {
    return firstOf(this.#state)?.recorded;
  }

  /** Resolves when every command so far is answered. */
  drained(): Promise<void> {
    return this.#run;
  }

  /** Does with the commands that wait what the state allows. To be called after some were added. */
  advance(): void {
    const state = this.#state;
    switch (state.kind) {
      case 'idle':
        if (this.#waiting.length > 0) this.#run = this.#runUntilIdle();
        return;
      case 'one in flight':
        if (this.#isWorthSecond(state.first)) void this.#gatherSecond(state.first);
        return;
      case 'stopped':
        for (const { resolve } of this.#waiting.take(this.#waiting.length)) {
          resolve({ kind: 'unavailable', cause: state.cause });
        }
        return;
      case 'gathering':
      case 'gathering second':
      case 'two in flight':
        return;
    }
  }

  async #runUntilIdle(): Promise<void> {
    this.#state = { kind: 'gathering' };
    await nextTurn();
    this.#enter(() => this.#sendNext(0));
    for (let first = firstOf(this.#state); first !== undefined; first = firstOf(this.#state)) {
      this.advance();
      this.#answer(first, await first.recorded);
    }
    this.advance();
  }

  async #gatherSecond(first: Batch): Promise<void> {
    const gathering: State = { kind: 'gathering second', first };
    this.#enter(() => gathering);
    await nextTurn();
    // Not where the first batch was answered in the same turn.
    if (this.#state === gathering) this.#enter(() => this.#sendSecond(first));
  }

  #isWorthSecond(first: Batch): boolean {
    const isEnough = this.#waiting.length >= first.commands.length;
    return first.isHalf && isEnough && this.#writer.takesMore === true;
  }

  #sendSecond(first: Batch): State {
    const commands = this.#isWorthSecond(first)
      ? this.#waiting.takeUnkeyed(MAX_BATCH_COMMANDS)
      : [];
    if (commands.length === 0) return { kind: 'one in flight', first };
    return { kind: 'two in flight', first, second: this.#send(commands, true) };
  }

  /** @param answered How many commands are about to be answered. */
  #sendNext(answered: number): State {
    const { maxCommands, isHalf } = batchSize({
      waiting: this.#waiting.length,
      answered,
      utilization: this.#options.utilization(),
      isContended: this.#isContended,
    });
    const commands = this.#waiting.take(maxCommands);
    if (commands.length === 0) return { kind: 'idle' };
    return { kind: 'one in flight', first: this.#send(commands, isHalf) };
  }

  #send(commands: WaitingCommand[], isHalf: boolean): Batch {
    this.#taken += commands.length;
    return { commands, isHalf, recorded: this.#record(commands) };
  }

  async #record(commands: WaitingCommand[]): Promise<Recorded> {
    let isDecidedAtOnce = true;
    const latecomers = () => {
      this.#isContended = !isDecidedAtOnce;
      return isDecidedAtOnce ? [] : submissionsOf(this.#join(commands));
    };
    try {
      const executed = this.#writer.execute(submissionsOf(commands), latecomers);
      isDecidedAtOnce = false;
      const outcomes = await executed;
      const unknown = outcomes.find((outcome) => outcome.kind === 'unknown');
      return { outcomes, doubt: this.#options.inDoubt === 'stop' ? unknown?.cause : undefined };
    } catch (error) {
      const cause = String(error);
      return { outcomes: commands.map(() => ({ kind: 'unknown', cause })), doubt: cause };
    }
  }

  /** Lets those that wait join a batch in flight. */
  #join(batch: WaitingCommand[]): readonly WaitingCommand[] {
    const state = this.#state;
    const newest = state.kind === 'two in flight' ? state.second : firstOf(state);
    if (newest?.commands !== batch) return [];
    const joined = this.#waiting.takeUnkeyed(MAX_BATCH_COMMANDS - batch.length);
    this.#taken += joined.length;
    batch.push(...joined);
    return joined;
  }

  #answer({ commands }: Batch, { outcomes, doubt }: Recorded): void {
    // The next batch is on its way before this one is answered: to answer takes longer.
    this.#enter(() => {
      this.#taken -= commands.length;
      return this.#stateAfter(commands.length, doubt);
    });
    commands.forEach(({ resolve }, index) => {
      resolve(outcomes[index] as Outcome);
    });
  }

  #stateAfter(answered: number, doubt: string | undefined): State {
    const state = this.#state;
    const second = state.kind === 'two in flight' ? state.second : undefined;
    if (state.kind === 'stopped') return { ...state, first: undefined };
    if (doubt !== undefined) {
      this.#options.stopped(doubt);
      return { kind: 'stopped', cause: doubt, first: second };
    }
    return second === undefined
      ? this.#sendNext(answered)
      : { kind: 'one in flight', first: second };
  }

  #enter(next: () => State): void {
    this.#assertInvariants();
    this.#state = next();
    this.#assertInvariants();
  }

  // Constant time but for a second batch, in which each command is looked at a few times.
  #assertInvariants(): void {
    const state = this.#state;
    const first = firstOf(state);
    const second = state.kind === 'two in flight' ? state.second : undefined;
    if (state.kind === 'idle') assert(this.#waiting.length === 0, 'a command waits while idle');
    const inFlight = (first?.commands.length ?? 0) + (second?.commands.length ?? 0);
    assert(inFlight === this.#taken, 'a command is lost or answered twice');
    for (const batch of [first, second]) {
      const size = batch?.commands.length ?? 1;
      assert(size >= 1 && size <= MAX_BATCH_COMMANDS, 'a batch is empty or too large');
    }
    if (second === undefined) return;
    assert(first?.isHalf === true, 'a second batch follows a whole one');
    const keys = second.commands.filter(({ submission }) => submission.idempotencyKey);
    assert(keys.length === 0, 'a second batch has an idempotency key in it');
  }
}

function firstOf(state: State): Batch | undefined {
  return 'first' in state ? state.first : undefined;
}

function submissionsOf(commands: readonly WaitingCommand[]): readonly Submission[] {
  return commands.map(({ submission }) => submission);
}

function assert(holds: boolean, violated: string): void {
  if (!holds) throw new Error(`the pipeline of batches is broken: ${violated}`);
}
