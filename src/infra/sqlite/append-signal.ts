/** The signal with which the writer's thread tells the readers of its process that the log may have grown. */

/**
 * A count of appends in memory that both threads see. It saves readers from asking SQLite for the head. Only
 * commands such as an import append beside a server, which watches the log for them (event-log.ts).
 *
 * The count grows after the commit and before the outcomes are sent, so a reader that finds the count of its
 * last read has read every acknowledged event.
 */
export class AppendSignal {
  /** The memory, from which the other thread makes its own signal. */
  readonly memory: SharedArrayBuffer;
  readonly #count: Int32Array;
  #seen = -1;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#count = new Int32Array(memory);
  }

  /** Tells of an append that is recorded, or may be. */
  send(): void {
    Atomics.add(this.#count, 0, 1);
  }

  /** Returns true if the log may have grown since the previous call, and at the first one. */
  isNew(): boolean {
    const count = Atomics.load(this.#count, 0);
    if (count === this.#seen) return false;
    this.#seen = count;
    return true;
  }
}
