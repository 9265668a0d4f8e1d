/**
 * Decides whether a history of one object is linearizable: whether each operation can be assigned
 * one moment between its invocation and its return, so that in this order the responses are those
 * of a sequential object.
 *
 * The search is Wing and Gong's ("Testing and Verifying Concurrent Objects", J. Parallel Distrib.
 * Comput. 17, 1993), in the form that Lowe gave it ("Testing for linearizability", Concurrency and
 * Computation 29(4), 2017): invocations and returns are one doubly linked list from which an
 * operation is lifted when it is put next, and a combination of operations done and state reached
 * that was met before is not searched again. The problem is NP-complete (Gibbons and Korach, 1997),
 * but the time grows with the number of operations that overlap, not with the length.
 */

import { requireLimit } from '../numbers.ts';
import { EventList, type Interval, isAnswered } from './event-list.ts';

export type { Interval };

/** The specification of a sequential object. */
export interface Specification<State, Op> {
  readonly initial: State;
  /** Returns the state after an operation, or `undefined` if its response is impossible. */
  after(state: State, op: Op): State | undefined;
  /** Returns a text that is equal exactly for equal states. */
  keyOf(state: State): string;
  /**
   * Returns true if an operation that does not change `state` changes none of the states that can follow
   * it either. A query never changes one; a write of the current value may restore that value later.
   * Optional, false if absent: it spares the search to try such operations in every order.
   */
  staysIdle?(state: State, op: Op): boolean;
}

export type Linearization<State, Op> =
  | { readonly found: true; readonly order: readonly Op[] }
  /** No order of all operations is valid. This is one of the longest valid partial orders. */
  | { readonly found: false; readonly longest: readonly Op[]; readonly state: State };

/** The search has ended at a limit. This is one of the longest valid partial orders so far. */
export interface Undecided<State, Op> {
  readonly found: undefined;
  readonly longest: readonly Op[];
  readonly state: State;
}

/** The bounds of a search. */
export interface SearchLimits {
  /**
   * The most combinations of operations done and state reached that are visited, about. Each takes some
   * microseconds and 100 bytes of memory; n operations that all overlap can lead to n * 2^n of them. Default
   * Infinity, which is no limit.
   */
  readonly maxCombinations?: number | undefined;
}

export interface TurnLimits extends SearchLimits {
  /** Ends the search. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Searches for an order of the operations that the object permits. Answered operations must be in
 * it. Unanswered ones may be in it, anywhere after their invocation, or not at all.
 */
export function linearize<State, Op extends Interval>(
  object: Specification<State, Op>,
  operations: readonly Op[],
): Linearization<State, Op>;
/** The same up to a limit. */
export function linearize<State, Op extends Interval>(
  object: Specification<State, Op>,
  operations: readonly Op[],
  limits: SearchLimits,
): Linearization<State, Op> | Undecided<State, Op>;
export function linearize<State, Op extends Interval>(
  object: Specification<State, Op>,
  operations: readonly Op[],
  { maxCombinations = Infinity }: SearchLimits = {},
): Linearization<State, Op> | Undecided<State, Op> {
  requireLimit('maxCombinations', maxCombinations);
  const search = new Search(object, operations);
  for (const turns = search.turns(); ; ) {
    const { done, value } = turns.next();
    if (done === true) return value;
    if (value >= maxCombinations) return search.undecided;
  }
}

/** The same in turns of the event loop, between which other work is done and the signal is heard. */
export async function linearizeInTurns<State, Op extends Interval>(
  object: Specification<State, Op>,
  operations: readonly Op[],
  { maxCombinations = Infinity, signal }: TurnLimits = {},
): Promise<Linearization<State, Op> | Undecided<State, Op>> {
  requireLimit('maxCombinations', maxCombinations);
  const search = new Search(object, operations);
  for (const turns = search.turns(); ; ) {
    const { done, value } = turns.next();
    if (done === true) return value;
    if (value >= maxCombinations || signal?.aborted === true) return search.undecided;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** The combinations that are visited in one turn. */
const TURN_COMBINATIONS = 1_024;

/** The operations of one step of the search. */
interface Step<State> {
  /** The operation that was tried; absent in the first step. */
  readonly op: number | undefined;
  readonly before: State;
  /** The operations placed after it, which change neither the next state nor a later one. */
  readonly settled: readonly number[];
}

class Search<State, Op extends Interval> {
  readonly #object: Specification<State, Op>;
  /** The answered operations by invocation, then the others. */
  readonly #ops: readonly Op[];
  readonly #answered: number;
  readonly #events: EventList;
  readonly #isDone: Uint8Array;
  /** The first answered operation that is not placed yet. */
  #gap = 0;
  readonly #steps: Step<State>[] = [];
  readonly #met = new Set<string>();
  /** The numbers of the states, by their texts. */
  readonly #states = new Map<string, number>();
  #state: State;
  #stateNumber: number;
  #done = 0;
  #answeredDone = 0;
  #longest: readonly Op[] = [];
  #longestState: State;

  constructor(object: Specification<State, Op>, operations: readonly Op[]) {
    this.#object = object;
    const answered = operations.filter(isAnswered).sort((a, b) => a.invoked - b.invoked);
    this.#ops = [...answered, ...operations.filter((op) => !isAnswered(op))];
    this.#answered = answered.length;
    this.#events = new EventList(this.#ops, answered.length);
    this.#isDone = new Uint8Array(this.#ops.length);
    this.#state = object.initial;
    this.#stateNumber = this.#numberOf(object.initial);
    this.#longestState = object.initial;
  }

  /** The search so far. */
  get undecided(): Undecided<State, Op> {
    this.#noteLongest();
    return { found: undefined, longest: this.#longest, state: this.#longestState };
  }

  /** Searches in turns. Yields the number of combinations visited so far. */
  *turns(): Generator<number, Linearization<State, Op>> {
    let due = TURN_COMBINATIONS;
    this.#steps.push({ op: undefined, before: this.#state, settled: this.#settle() });
    let event = this.#events.first;
    while (this.#answeredDone < this.#answered) {
      if (this.#met.size >= due) {
        yield this.#met.size;
        due = this.#met.size + TURN_COMBINATIONS;
      }
      if (this.#events.isInvocation(event)) {
        event = this.#tryNext(event) ? this.#events.first : this.#events.after(event);
        continue;
      }
      // This return precedes its operation, which is not placed yet: backtrack.
      const wrong = this.#stepBack();
      if (wrong === undefined) {
        return { found: false, longest: this.#longest, state: this.#longestState };
      }
      event = this.#events.after(this.#events.invocationOf(wrong));
    }
    return { found: true, order: this.#orderSoFar() };
  }

  /** Places an operation, unless that leads to a visited combination. */
  #tryNext(event: number): boolean {
    const op = this.#events.operationOf(event);
    const before = this.#state;
    const next = this.#object.after(before, this.#ops[op] as Op);
    if (next === undefined) return false;
    const number = this.#numberOf(next);
    // An unanswered operation without effect need not have happened.
    if (number === this.#stateNumber && op >= this.#answered) return false;
    this.#do(op);
    // Before anything is settled: what settles follows from the combination.
    if (!this.#isNew(number)) {
      this.#undo(op);
      return false;
    }
    this.#enter(next, number);
    const settled = this.#settle();
    this.#steps.push({ op, before, settled });
    if (settled.length === 0 || this.#isNew(number)) return true;
    this.#stepBack();
    return false;
  }

  /**
   * Places every answered operation that is possible and changes neither this state nor a later one. This
   * loses no solution: without it every later state is the same, so it can be moved here. It avoids
   * trying concurrent queries in every order.
   */
  #settle(): readonly number[] {
    const settled: number[] = [];
    let event = this.#events.first;
    while (this.#events.isInvocation(event)) {
      const op = this.#events.operationOf(event);
      if (op < this.#answered && this.#staysIdle(this.#ops[op] as Op)) {
        this.#do(op);
        settled.push(op);
      }
      event = this.#events.after(event);
    }
    return settled;
  }

  /** Returns true if an operation is possible, and changes neither this state nor a later one. */
  #staysIdle(op: Op): boolean {
    const next = this.#object.after(this.#state, op);
    if (next === undefined || this.#numberOf(next) !== this.#stateNumber) return false;
    return this.#object.staysIdle?.(this.#state, op) ?? false;
  }

  /** Undoes the last step, and returns its operation, if it had one. */
  #stepBack(): number | undefined {
    this.#noteLongest();
    const { op, before, settled } = this.#steps.pop() as Step<State>;
    if (op === undefined) return undefined;
    for (const idle of settled.toReversed()) this.#undo(idle);
    this.#undo(op);
    this.#enter(before, this.#numberOf(before));
    return op;
  }

  #noteLongest(): void {
    if (this.#done <= this.#longest.length) return;
    this.#longest = this.#orderSoFar();
    this.#longestState = this.#state;
  }

  #orderSoFar(): readonly Op[] {
    const order = this.#steps.flatMap(({ op, settled }) => [op ?? [], settled].flat());
    return order.map((op) => this.#ops[op] as Op);
  }

  #enter(state: State, number: number): void {
    this.#state = state;
    this.#stateNumber = number;
  }

  #numberOf(state: State): number {
    const text = this.#object.keyOf(state);
    const known = this.#states.get(text);
    if (known !== undefined) return known;
    this.#states.set(text, this.#states.size);
    return this.#states.size - 1;
  }

  #do(op: number): void {
    this.#events.lift(op);
    this.#isDone[op] = 1;
    this.#done += 1;
    if (op < this.#answered) this.#answeredDone += 1;
    while (this.#gap < this.#answered && this.#isDone[this.#gap] === 1) this.#gap += 1;
  }

  #undo(op: number): void {
    this.#events.putBack(op);
    this.#isDone[op] = 0;
    this.#done -= 1;
    if (op >= this.#answered) return;
    this.#answeredDone -= 1;
    this.#gap = Math.min(this.#gap, op);
  }

  /** Returns true if the placed operations were not visited with a state yet, and notes that they are. */
  #isNew(state: number): boolean {
    const before = this.#met.size;
    this.#met.add(`${state} ${this.#doneOperations()}`);
    return this.#met.size > before;
  }

  // Answered operations are placed almost in order of invocation. The number placed without a gap,
  // and the others as bits, form a short text however long the history is.
  #doneOperations(): string {
    let text = `${this.#gap}`;
    let left = this.#answeredDone - this.#gap;
    for (let op = this.#gap + 1; left > 0; op += TEXT_BITS) {
      const bits = this.#bitsFrom(op, this.#answered);
      text += `,${bits.toString(36)}`;
      left -= countOf(bits);
    }
    if (this.#done === this.#answeredDone) return text;
    for (let op = this.#answered; op < this.#ops.length; op += TEXT_BITS) {
      text += `;${this.#bitsFrom(op, this.#ops.length).toString(36)}`;
    }
    return text;
  }

  #bitsFrom(op: number, end: number): number {
    let bits = 0;
    for (let at = Math.min(end, op + TEXT_BITS) - 1; at >= op; at--) {
      bits = bits * 2 + (this.#isDone[at] as number);
    }
    return bits;
  }
}

/** The operations of one number: small integers are fastest. */
const TEXT_BITS = 30;

function countOf(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}
