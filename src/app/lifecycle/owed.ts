/** The interval at which owed work is retried, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * The writes of a start, such as that of the first key. If the store cannot be written, the start
 * continues without them, and they are retried.
 */
export class Owed {
  readonly #passes: (error: unknown) => boolean;
  #work: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #trying = Promise.resolve();
  #isClosed = false;

  /**
   * @param passes Returns true for an error that may pass by itself, so that the work is retried.
   */
  constructor(passes: (error: unknown) => boolean) {
    this.#passes = passes;
  }

  /** Runs work, now or later. Rejects with an error that does not pass. */
  async do(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#passes(error)) throw error;
      this.#work.push(work);
    }
  }

  /**
   * Retries the rest, in order, until all of it is done.
   * @param failed Called with an error that does not pass; no more work is tried then.
   */
  retry(failed: (error: unknown) => void): void {
    if (this.#isClosed || this.#work.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#trying = this.#again().then(() => this.retry(failed), failed);
    }, RETRY_MS);
  }

  /** Ends the retries. Resolves when the work in progress is over, which is the last. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#trying;
  }

  async #again(): Promise<void> {
    const left = this.#work;
    this.#work = [];
    for (const work of left) if (!this.#isClosed) await this.do(work);
  }
}
