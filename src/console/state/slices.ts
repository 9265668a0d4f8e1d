/** The slices of a long check on the page's own thread, which stays responsive between them. */

const SLICE_MS = 12;
/** A report makes the page render. */
const REPORT_MS = 100;

export class Slices<Progress> {
  readonly #signal: AbortSignal;
  readonly #report: (progress: Progress) => void;
  #since = performance.now();
  #reportedAt = this.#since;

  constructor(signal: AbortSignal, report: (progress: Progress) => void) {
    this.#signal = signal;
    this.#report = report;
  }

  /** True once the present slice has taken its time: {@link restIfOver} pauses. */
  get isOver(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /**
   * Lets the page handle what has happened meanwhile, once a slice has taken its time. Rejects with the
   * reason of the signal if that is aborted.
   */
  async restIfOver(progress: Progress): Promise<void> {
    this.#signal.throwIfAborted();
    if (!this.isOver) return;
    if (this.#since - this.#reportedAt >= REPORT_MS) {
      this.#report(progress);
      this.#reportedAt = this.#since;
    }
    await pause();
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}

function pause(): Promise<void> {
  return new Promise((done) => {
    // A timer would wait for 4 ms.
    const { port1, port2 } = new MessageChannel();
    const end = () => {
      port1.close();
      done();
    };
    port1.addEventListener('message', end);
    port1.start();
    port2.postMessage(undefined);
  });
}
