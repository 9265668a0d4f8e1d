import type { Worker } from 'node:worker_threads';
import type { FactChunk } from '../chunked-facts.ts';
import { startThread } from './start-thread.ts';

/** Reads chunks of events in a thread of its own, one more than was asked for. */
export class FactsAhead {
  readonly #file: string;
  readonly #end: string;
  #worker: Worker | undefined;
  /** What was asked of the thread and has not come yet, oldest first. */
  readonly #asked: PromiseWithResolvers<FactChunk>[] = [];
  #ahead: { readonly after: number; readonly chunk: Promise<FactChunk> } | undefined;

  /**
   * The thread begins with the first chunk.
   * @param end See {@link factChunksOf}.
   */
  constructor(file: string, end: string) {
    this.#file = file;
    this.#end = end;
  }

  /** The chunk after a position. It may be from before the last events were appended. */
  readonly chunkAfter = async (after: number): Promise<FactChunk> => {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    const chunk = await (ahead?.after === after ? ahead.chunk : this.#ask(after));
    const [count] = chunk;
    if (count > 0) this.#ahead = { after: after + count, chunk: this.#ask(after + count) };
    return chunk;
  };

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(after: number): Promise<FactChunk> {
    this.#worker ??= this.#begin();
    const asked = Promise.withResolvers<FactChunk>();
    // Nobody may want it any more by the time it fails.
    asked.promise.catch(() => undefined);
    this.#asked.push(asked);
    this.#worker.postMessage(after);
    return asked.promise;
  }

  #begin(): Worker {
    const worker = startThread('facts-thread', { file: this.#file, end: this.#end });
    worker.on('message', (chunk: FactChunk) => this.#asked.shift()?.resolve(chunk));
    worker.on('error', (cause) => {
      this.#worker = undefined;
      for (const asked of this.#asked.splice(0)) asked.reject(cause);
    });
    return worker;
  }
}
