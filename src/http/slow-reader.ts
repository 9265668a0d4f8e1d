/** The progress of clients in taking their answers: decides which of them are too slow to wait for. */

/** The least that a client takes on average while something is left of its answer, a second. */
const MIN_BYTES_PER_SECOND = 1_024;

/** The output of a connection, in bytes. */
export interface Output {
  /** The bytes that the system has not taken yet, because the client takes no more. */
  readonly pending: number;
  /** The bytes that it has taken since the connection began. */
  readonly taken: number;
}

/**
 * Judges one client. Its output is looked at about once a second, so a client may be taken for too slow
 * that much later.
 */
export class Progress {
  readonly #patienceMs: number;
  /** The time from which on something has been pending; undefined while nothing is. */
  #since: number | undefined;
  #takenThen = 0;
  #movedAt = 0;
  #taken = 0;

  /** @param patienceMs The time for which nothing may move, and over which the rate is averaged. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Returns whether the client has taken nothing for too long, or too little.
   * @param now Elapsed time, in milliseconds.
   */
  isTooSlow(now: number, { pending, taken }: Output): boolean {
    if (pending === 0) {
      this.#since = undefined;
      return false;
    }
    if (this.#since === undefined || taken !== this.#taken) this.#movedAt = now;
    this.#taken = taken;
    if (this.#since === undefined) this.#begin(now);
    if (now - this.#movedAt >= this.#patienceMs) return true;
    const elapsedMs = now - (this.#since as number);
    if (elapsedMs < this.#patienceMs) return false;
    const isTooLittle = taken - this.#takenThen < (MIN_BYTES_PER_SECOND * elapsedMs) / 1_000;
    this.#begin(now);
    return isTooLittle;
  }

  #begin(now: number): void {
    this.#since = now;
    this.#takenThen = this.#taken;
  }
}
