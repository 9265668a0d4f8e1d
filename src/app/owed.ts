/** How often owed work is tried again, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * What a start has to write, such as the first key. Where the store cannot be written, the start goes
 * on without it, and it is done as soon as it can be.
 */
export class Owed {
  readonly #passes: (error: unknown) => boolean;
  #work: (() => Promise<void>)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param passes Whether an error is one that passes, so that the work can be done later. */
  constructor(passes: (error: unknown) => boolean) {
    this.#passes = passes;
  }

  /** Does something, now if possible. Rejects where it never will be. */
  async do(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#passes(error)) throw error;
      this.#work.push(work);
    }
  }

  /**
   * Tries what is left, in order, until all of it is done.
   * @param failed Called with an error that does not pass; nothing more is tried then.
   */
  retry(failed: (error: unknown) => void): void {
    if (this.#work.length === 0) return;
    this.#timer = setTimeout(() => this.#again().then(() => this.retry(failed), failed), RETRY_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#work = [];
  }

  async #again(): Promise<void> {
    const left = this.#work;
    this.#work = [];
    for (const work of left) await this.do(work);
  }
}
