import type { Worker } from 'node:worker_threads';
import { type FactChunk, readAhead } from '../chunked-facts.ts';
import { startThread } from '../start-thread.ts';

/** Reads chunks of events in a thread of its own, the next one ahead. */
export class FactsAhead {
  readonly #file: string;
  readonly #end: string;
  #worker: Worker | undefined;
  /** What was asked of the thread and has not come yet, oldest first. */
  readonly #asked: PromiseWithResolvers<FactChunk>[] = [];

  /**
   * The thread begins with the first chunk.
   * @param end See {@link factChunksOf}.
   */
  constructor(file: string, end: string) {
    this.#file = file;
    this.#end = end;
  }

  /** The chunk after a position. */
  readonly chunkAfter = readAhead((after) => this.#ask(after));

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(after: number): Promise<FactChunk> {
    this.#worker ??= this.#begin();
    const asked = Promise.withResolvers<FactChunk>();
    this.#asked.push(asked);
    this.#worker.postMessage(after);
    return asked.promise;
  }

  #begin(): Worker {
    const worker = startThread('sqlite/facts-thread', { file: this.#file, end: this.#end });
    worker.on('message', (chunk: FactChunk) => this.#asked.shift()?.resolve(chunk));
    worker.on('error', (cause) => {
      this.#worker = undefined;
      for (const asked of this.#asked.splice(0)) asked.reject(cause);
    });
    return worker;
  }
}
