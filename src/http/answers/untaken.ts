/**
 * The answers made for one client each that the system has not taken, because their clients do not read.
 * They are in the memory of the process, and share a bound: beyond it, the client that has kept its answer
 * waiting for longest is cut off. So clients that read nothing neither fill the memory nor keep out others.
 */
import type { Response } from 'express';
import { cutOff } from '../request-context.ts';

/** The bytes of all such answers together. The longest has half a megabyte. */
const MAX_BYTES = 67_108_864;
const TOO_SLOW =
  'the client was too slow: too many answers are waiting for clients that do not read';

/** Answers that wait for their clients, and the bytes that they keep. */
export class Untaken {
  readonly #maxBytes: number;
  /** The longest waiting one comes first. */
  readonly #waiting = new Map<Response, number>();
  #bytes = 0;
  #cutOff = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of the answers that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of clients that were cut off. */
  get cutOff(): number {
    return this.#cutOff;
  }

  /**
   * Notes an answer that waits for its client. Returns a function to be called when it no longer does.
   * @param bytes What it keeps meanwhile. What it shares with others does not count.
   */
  keep(res: Response, bytes: number): () => void {
    this.#waiting.set(res, bytes);
    this.#bytes += bytes;
    for (const [longest] of this.#waiting) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#leave(longest);
      this.#cutOff += 1;
      cutOff(longest.req, TOO_SLOW);
    }
    return () => this.#leave(res);
  }

  #leave(res: Response): void {
    this.#bytes -= this.#waiting.get(res) ?? 0;
    this.#waiting.delete(res);
  }
}

/** Those of the process. */
export const UNTAKEN = new Untaken(MAX_BYTES);

/** Must be called behind the end of an answer that was made for one client, of so many bytes. */
export function keepUntilTaken(res: Response, bytes: number): void {
  // The system takes most answers at once.
  if (res.writableLength > 0) res.once('close', UNTAKEN.keep(res, bytes));
}
