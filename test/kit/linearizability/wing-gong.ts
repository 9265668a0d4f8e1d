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

/** The interval of an operation; `returned` is Infinity if there was no response. */
export interface Interval {
  readonly invoked: number;
  readonly returned: number;
}

/** The specification of a sequential object. */
export interface Specification<State, Op> {
  readonly initial: State;
  /** Returns the state after an operation, or `undefined` if its response is impossible. */
  after(state: State, op: Op): State | undefined;
  /** Returns a text that is equal exactly for equal states. */
  keyOf(state: State): string;
}

export type Linearization<State, Op> =
  | { readonly found: true; readonly order: readonly Op[] }
  /** No order of all operations is valid. This is one of the longest valid partial orders. */
  | { readonly found: false; readonly longest: readonly Op[]; readonly state: State };

/**
 * Searches for an order of the operations that the object permits. Answered operations must be in
 * it. Unanswered ones may be in it, anywhere after their invocation, or not at all.
 */
export function linearize<State, Op extends Interval>(
  object: Specification<State, Op>,
  operations: readonly Op[],
): Linearization<State, Op> {
  return new Search(object, operations).run();
}

/** The operations of one step of the search. */
interface Step<State> {
  /** The operation that changed the state; absent in the first step. */
  readonly op: number | undefined;
  readonly before: State;
  /** The operations that the next state permits and that do not change it. */
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
  #state: State;
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
    this.#longestState = object.initial;
  }

  run(): Linearization<State, Op> {
    this.#steps.push({ op: undefined, before: this.#state, settled: this.#settle() });
    let event = this.#events.first;
    while (this.#answeredDone < this.#answered) {
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

  /** Places an operation that changes the state, unless that leads to a visited combination. */
  #tryNext(event: number): boolean {
    const op = this.#events.operationOf(event);
    const before = this.#state;
    const next = this.#object.after(before, this.#ops[op] as Op);
    // Operations without effect are placed already, or unanswered and need not have happened.
    if (next === undefined || this.#isSame(next, before)) return false;
    this.#do(op);
    this.#state = next;
    this.#steps.push({ op, before, settled: this.#settle() });
    if (!this.#isMet()) return true;
    this.#stepBack();
    return false;
  }

  /**
   * Places every answered operation that is possible now and does not change the state. This loses
   * no solution: any other position of such an operation can be moved here. It avoids trying
   * concurrent reads in every order.
   */
  #settle(): readonly number[] {
    const settled: number[] = [];
    let event = this.#events.first;
    while (this.#events.isInvocation(event)) {
      const op = this.#events.operationOf(event);
      const next = this.#object.after(this.#state, this.#ops[op] as Op);
      const isIdle = op < this.#answered && next !== undefined && this.#isSame(next, this.#state);
      if (isIdle) {
        this.#do(op);
        settled.push(op);
      }
      event = this.#events.after(event);
    }
    return settled;
  }

  /** Undoes the last step, and returns its operation, if it had one. */
  #stepBack(): number | undefined {
    const order = this.#orderSoFar();
    if (order.length > this.#longest.length) {
      this.#longest = order;
      this.#longestState = this.#state;
    }
    const { op, before, settled } = this.#steps.pop() as Step<State>;
    if (op === undefined) return undefined;
    for (const idle of settled.toReversed()) this.#undo(idle);
    this.#undo(op);
    this.#state = before;
    return op;
  }

  #orderSoFar(): readonly Op[] {
    const order = this.#steps.flatMap(({ op, settled }) => [op ?? [], settled].flat());
    return order.map((op) => this.#ops[op] as Op);
  }

  #isSame(one: State, other: State): boolean {
    return this.#object.keyOf(one) === this.#object.keyOf(other);
  }

  #do(op: number): void {
    this.#events.lift(op);
    this.#isDone[op] = 1;
    if (op < this.#answered) this.#answeredDone += 1;
    while (this.#gap < this.#answered && this.#isDone[this.#gap] === 1) this.#gap += 1;
  }

  #undo(op: number): void {
    this.#events.putBack(op);
    this.#isDone[op] = 0;
    if (op >= this.#answered) return;
    this.#answeredDone -= 1;
    this.#gap = Math.min(this.#gap, op);
  }

  /**
   * Returns true if the placed operations and the state were visited before, and marks them
   * visited.
   */
  #isMet(): boolean {
    const key = `${this.#doneOperations()} ${this.#object.keyOf(this.#state)}`;
    const before = this.#met.size;
    this.#met.add(key);
    return this.#met.size === before;
  }

  // Answered operations are placed almost in order of invocation. The number placed without a gap,
  // and the others, form a short text however long the history is.
  #doneOperations(): string {
    let text = `${this.#gap}`;
    let left = this.#answeredDone - this.#gap;
    for (let op = this.#gap + 1; left > 0; op++) {
      if (this.#isDone[op] === 1) {
        text += `,${op}`;
        left -= 1;
      }
    }
    for (let op = this.#answered; op < this.#ops.length; op++) {
      if (this.#isDone[op] === 1) text += `,${op}`;
    }
    return text;
  }
}

function isAnswered({ returned }: Interval): boolean {
  return returned !== Number.POSITIVE_INFINITY;
}

/**
 * A doubly linked list of invocations and returns by time. At equal times invocations come first,
 * so adjacent operations count as concurrent. Unanswered operations have no return.
 */
class EventList {
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #end: number;
  readonly #answered: number;

  /** @param answered The number of answered operations, which come first. */
  constructor(ops: readonly Interval[], answered: number) {
    this.#answered = answered;
    this.#end = ops.length * 2;
    this.#next = new Int32Array(this.#end + 1);
    this.#previous = new Int32Array(this.#end + 1);
    let last = this.#end;
    for (const event of eventsInOrder(ops)) {
      this.#next[last] = event;
      this.#previous[event] = last;
      last = event;
    }
    this.#next[last] = this.#end;
    this.#previous[this.#end] = last;
  }

  get first(): number {
    return this.after(this.#end);
  }

  after(event: number): number {
    return this.#next[event] as number;
  }

  // Event 2n is the invocation of operation n, and event 2n + 1 its return.

  isInvocation(event: number): boolean {
    return event % 2 === 0 && event !== this.#end;
  }

  operationOf(event: number): number {
    return event >> 1;
  }

  invocationOf(op: number): number {
    return op * 2;
  }

  // The return is removed first and restored last, so a removed invocation still links to the
  // event that followed it.

  /** Removes an operation. */
  lift(op: number): void {
    if (op < this.#answered) this.#unlink(op * 2 + 1);
    this.#unlink(op * 2);
  }

  /** Restores the operation that was removed last. */
  putBack(op: number): void {
    this.#link(op * 2);
    if (op < this.#answered) this.#link(op * 2 + 1);
  }

  #unlink(event: number): void {
    this.#next[this.#previous[event] as number] = this.#next[event] as number;
    this.#previous[this.#next[event] as number] = this.#previous[event] as number;
  }

  #link(event: number): void {
    this.#next[this.#previous[event] as number] = event;
    this.#previous[this.#next[event] as number] = event;
  }
}

function eventsInOrder(ops: readonly Interval[]): readonly number[] {
  const events = ops.flatMap((op, index) => {
    const invocation = { event: index * 2, time: op.invoked, isReturn: 0 };
    const end = { event: index * 2 + 1, time: op.returned, isReturn: 1 };
    return isAnswered(op) ? [invocation, end] : [invocation];
  });
  events.sort((a, b) => a.time - b.time || a.isReturn - b.isReturn);
  return events.map(({ event }) => event);
}
