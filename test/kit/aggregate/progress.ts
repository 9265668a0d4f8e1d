/** The point that an attempt has reached, for the message if it fails or hangs there. */
export class Progress {
  /** The number of steps begun: those after them never ran. */
  steps = 0;
  #call: string | undefined;
  #subject = '';

  /** Notes a call of the user's code, such as "perform" about "A: lend to ann". */
  calls(call: string, subject = ''): void {
    this.#call = call;
    this.#subject = subject;
  }

  /** The last call in words, if there was one. */
  get call(): string | undefined {
    return this.#subject === '' ? this.#call : `${this.#call} (${this.#subject})`;
  }
}
