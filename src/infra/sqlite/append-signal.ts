/** The signal with which the writer's thread tells the readers of its process that the log may have grown. */

/**
 * A count of appends in memory that both threads see. It saves readers from asking SQLite for the head. Only
 * commands such as an import append beside a server, which watches the log for them (event-log.ts).
 *
 * The count grows after the commit and before the outcomes are sent, so a reader that finds the count of its
 * last read has read every acknowledged event. What a reader finds in the file may be newer than that: it is
 * noted, so that nothing that was shown is absent from a later answer.
 */
export class AppendSignal {
  /** The memory, from which the other thread makes its own signal. */
  readonly memory: SharedArrayBuffer;
  readonly #count: Int32Array;
  #seen = -1;
  /** The head that was read last in this thread; undefined if it has to be read again. */
  #head: number | undefined;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#count = new Int32Array(memory);
  }

  /** Tells of an append that is recorded, or may be. */
  send(): void {
    Atomics.add(this.#count, 0, 1);
  }

  /** Returns the head that was read last, or calls `read` if the log may have grown since the previous call. */
  head(read: () => number): number {
    // The count first: an append between the two is then read twice instead of never.
    const count = Atomics.load(this.#count, 0);
    if (count !== this.#seen) this.#head = undefined;
    this.#seen = count;
    this.#head ??= read();
    return this.#head;
  }

  /** Notes a head that was just read: {@link head} is never behind it. */
  note(head: number): void {
    this.#head = head;
  }
}
