/** The invocations and returns of a history, for the search for a linearization. */

/** The interval of an operation; `returned` is Infinity if there was no response. */
export interface Interval {
  readonly invoked: number;
  readonly returned: number;
}

export function isAnswered({ returned }: Interval): boolean {
  return returned !== Number.POSITIVE_INFINITY;
}

/**
 * A doubly linked list of invocations and returns by time. At equal times invocations come first,
 * so adjacent operations count as concurrent. Unanswered operations have no return.
 */
export class EventList {
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #end: number;
  readonly #answered: number;

  /**
   * Throws a RangeError for an operation that returns before it is invoked, or whose times are no numbers.
   * @param answered The number of answered operations, which come first.
   */
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
    const { invoked, returned } = op;
    if (!(invoked <= returned)) {
      throw new RangeError(
        `an operation has returned at ${returned}, before it was invoked at ${invoked}`,
      );
    }
    const invocation = { event: index * 2, time: invoked, isReturn: 0 };
    const end = { event: index * 2 + 1, time: returned, isReturn: 1 };
    return isAnswered(op) ? [invocation, end] : [invocation];
  });
  events.sort((a, b) => a.time - b.time || a.isReturn - b.isReturn);
  return events.map(({ event }) => event);
}
