/**
 * Decides which clients read their responses too slowly, by what the system accepts. While a send
 * buffer is full, Linux accepts nothing until a third of it is free: of 4 MB, a client has to read
 * 1.4 MB within the patience to be safe.
 */

/** The least average rate at which the system must accept a response. */
const MIN_BYTES_PER_SECOND = 1_024;

/** The output of a connection, in bytes. */
export interface Output {
  /** The bytes that the system has not accepted yet because the client does not read. */
  readonly pending: number;
  /** The bytes that it has accepted since the connection began. */
  readonly taken: number;
}

/**
 * Judges one client by its output, which is sampled about once a second, so the limits may be
 * exceeded by that much.
 */
export class Progress {
  readonly #patienceMs: number;
  /** The time since which bytes have been pending; undefined while none are. */
  #since: number | undefined;
  #takenThen = 0;
  #movedAt = 0;
  #taken = 0;

  /** @param patienceMs The longest time without progress, over which the rate is averaged, too. */
  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /**
   * Returns true if nothing was accepted for too long, or too little.
   * @param now The elapsed time, in milliseconds.
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
