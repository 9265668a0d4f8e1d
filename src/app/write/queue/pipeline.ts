import { CLOCKS } from '../../clock.ts';
import { nextTurn } from '../../event-loop.ts';
import { Histogram } from '../../histogram.ts';
import type { BatchWriter } from '../../ports/batch-writer.ts';
import type { Store } from '../../ports/store.ts';
import { batchSize, MAX_BATCH_COMMANDS } from './batch-size.ts';
import { type Batch, firstOf, type Recorded, type State } from './batches-in-flight.ts';
import type { CommandQueue } from './command-queue.ts';
import {
  answerAll,
  answerEach,
  commandsIn,
  isKeyed,
  submissionsOf,
  type WaitingRequest,
} from './waiting-request.ts';

/** In seconds. A flush takes 0.1 to 10 ms on most disks, and more where they are shared. */
const DURATION_BOUNDS_S = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
];

/** Options of the pipeline; `inDoubt` is that of the store. */
interface Options extends Pick<Store, 'inDoubt'> {
  /** Called once, when an outcome is unknown and no further batch is sent. */
  readonly stopped: (cause: string) => void;
  /** Returns the event loop's utilization, 0 to 1, since the previous call. */
  readonly utilization: () => number;
}

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
 * 3. A batch has 1 to MAX_BATCH_COMMANDS commands, and a group of commands is in one batch.
 * 4. A second batch follows a half, and nothing in it has an idempotency key.
 *
 * Commands are recorded and answered in the order in which the queue gave them: the first batch is
 * always answered before the second, and only the newest can be joined.
 */
export class Pipeline {
  /** The sizes of the batches that were recorded, in commands. */
  readonly commands = new Histogram([1, 4, 16, 64, 256, MAX_BATCH_COMMANDS]);
  /** The times from sending a batch until it is recorded. */
  readonly seconds = new Histogram(DURATION_BOUNDS_S);
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

  /** Forms the next batch of those that wait if the state allows it. To be called after some were added. */
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
        answerAll(this.#waiting.takeAll(), {
          kind: 'unavailable',
          cause: state.cause,
        });
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
    const isEnough = this.#waiting.length >= first.size;
    return first.isHalf && isEnough && this.#writer.takesMore === true;
  }

  #sendSecond(first: Batch): State {
    const requests = this.#isWorthSecond(first)
      ? this.#waiting.takeUnkeyed(MAX_BATCH_COMMANDS)
      : [];
    if (requests.length === 0) return { kind: 'one in flight', first };
    return { kind: 'two in flight', first, second: this.#send(requests, true) };
  }

  /** @param answered How many commands are about to be answered. */
  #sendNext(answered: number): State {
    const { maxCommands, isHalf } = batchSize({
      waiting: this.#waiting.length,
      answered,
      utilization: this.#options.utilization(),
      isContended: this.#isContended,
    });
    const requests = this.#waiting.take(maxCommands);
    if (requests.length === 0) return { kind: 'idle' };
    return { kind: 'one in flight', first: this.#send(requests, isHalf) };
  }

  #send(requests: WaitingRequest[], isHalf: boolean): Batch {
    const size = this.#noteTaken(requests);
    return { requests, size, isHalf, recorded: this.#record(requests) };
  }

  /** Notes that requests have left the queue. Returns the number of their commands. */
  #noteTaken(requests: readonly WaitingRequest[]): number {
    const sentAtMs = CLOCKS.elapsed();
    for (const { progress } of submissionsOf(requests)) {
      if (progress !== undefined) progress.sentAtMs = sentAtMs;
    }
    const size = commandsIn(requests);
    this.#taken += size;
    return size;
  }

  async #record(requests: readonly WaitingRequest[]): Promise<Recorded> {
    const begunMs = CLOCKS.elapsed();
    let isDecidedAtOnce = true;
    const latecomers = () => {
      this.#isContended = !isDecidedAtOnce;
      return isDecidedAtOnce ? [] : submissionsOf(this.#join(requests));
    };
    try {
      const executed = this.#writer.execute(submissionsOf(requests), latecomers);
      isDecidedAtOnce = false;
      const outcomes = await executed;
      this.commands.observe(outcomes.length);
      this.seconds.observe((CLOCKS.elapsed() - begunMs) / 1_000);
      const unknown = outcomes.find((outcome) => outcome.kind === 'unknown');
      return { outcomes, doubt: this.#options.inDoubt === 'stop' ? unknown?.cause : undefined };
    } catch (error) {
      const cause = String(error);
      const outcomes = submissionsOf(requests).map(() => ({ kind: 'unknown', cause }) as const);
      return { outcomes, doubt: cause };
    }
  }

  /** Lets those that wait join a batch in flight. */
  #join(requests: readonly WaitingRequest[]): readonly WaitingRequest[] {
    const state = this.#state;
    const newest = state.kind === 'two in flight' ? state.second : firstOf(state);
    if (newest?.requests !== requests) return [];
    const joined = this.#waiting.takeUnkeyed(MAX_BATCH_COMMANDS - newest.size);
    const size = this.#noteTaken(joined);
    newest.size += size;
    newest.requests.push(...joined);
    return joined;
  }

  #answer({ requests, size }: Batch, { outcomes, doubt }: Recorded): void {
    // The next batch is on its way before this one is answered: to answer takes longer.
    this.#enter(() => {
      this.#taken -= size;
      return this.#stateAfter(size, doubt);
    });
    answerEach(requests, outcomes);
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
    const inFlight = (first?.size ?? 0) + (second?.size ?? 0);
    assert(inFlight === this.#taken, 'a command is lost or answered twice');
    for (const batch of [first, second]) {
      const size = batch?.size ?? 1;
      assert(size >= 1 && size <= MAX_BATCH_COMMANDS, 'a batch is empty or too large');
    }
    if (second === undefined) return;
    assert(first?.isHalf === true, 'a second batch follows a whole one');
    assert(!second.requests.some(isKeyed), 'a second batch has an idempotency key in it');
  }
}

function assert(holds: boolean, violated: string): void {
  if (!holds) throw new Error(`the pipeline of batches is broken: ${violated}`);
}
