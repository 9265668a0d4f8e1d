/** The server's end of a thread that reads rows of a store: side-reader-thread.ts. */

import type { Worker } from 'node:worker_threads';
import { SMALL_NURSERY, startThread } from '../process/start-thread.ts';

/**
 * A prepared statement in a thread of its own, over a connection of its own, which only reads. While
 * nothing is asked for, it does not keep the process from ending.
 */
export class SideReader {
  /** Resolves when the thread can read; rejects if it cannot. */
  readonly ready: Promise<unknown>;
  readonly #worker: Worker;
  /** Those who wait for a row, in the order of their requests. */
  readonly #waiting: PromiseWithResolvers<unknown>[] = [];
  #end: Error | undefined;

  constructor(file: string, sql: string) {
    this.#worker = startThread(
      'sqlite/side-reader-thread',
      { file, sql },
      { resourceLimits: SMALL_NURSERY },
    );
    this.#worker.on('message', (row) => this.#received(row));
    this.#worker.on('error', (cause: Error) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the thread has ended')));
    this.ready = this.#next();
    this.ready.catch(() => undefined);
  }

  /**
   * Resolves with the row for these parameters; its blobs are Uint8Arrays. Rejects if it cannot be read, and
   * then the thread has ended.
   */
  get(parameters: object): Promise<unknown> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    this.#worker.postMessage(parameters);
    return this.#next();
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #next(): Promise<unknown> {
    const waiting = Promise.withResolvers<unknown>();
    if (this.#waiting.push(waiting) === 1) this.#worker.ref();
    return waiting.promise;
  }

  #received(row: unknown): void {
    this.#waiting.shift()?.resolve(row);
    if (this.#waiting.length === 0) this.#worker.unref();
  }

  #fail(cause: Error): void {
    this.#end ??= cause;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#end);
  }
}
