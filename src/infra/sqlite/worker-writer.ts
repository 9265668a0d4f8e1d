import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { CannotStart } from '../../app/cannot-start.ts';
import type { PackedImage } from '../../app/order-image.ts';
import type { BatchWriter } from '../../app/ports/batch-writer.ts';
import { DamagedStore, type StoreWatcher } from '../../app/ports/store.ts';
import type { Outcome, Submission } from '../../app/submission.ts';
import { startThread } from './start-thread.ts';
import { type FromWriter, packBatch, type ToWriter, unpackOutcomes } from './writer-messages.ts';

// What a batch leaves behind is garbage at once. On a machine with much memory, V8 would let it pile
// up to 100 MB in this thread alone before it looks.
const SMALL_NURSERY = { maxYoungGenerationSizeMb: 16 };

/** The server's end of the writer thread: the same port as the Writer behind it. */
export class WorkerWriter implements BatchWriter {
  readonly #worker: Worker;
  readonly #watcher: Pick<StoreWatcher, 'lost' | 'impaired'>;
  readonly #opened = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<void>();
  #executing: PromiseWithResolvers<readonly Outcome[]> | undefined;
  #isReady = false;
  #end: Error | undefined;

  /**
   * Starts the thread.
   * @param watcher Is told if the thread ends by itself after it was ready: nothing can be recorded
   * from then on.
   */
  constructor(file: string, watcher: Pick<StoreWatcher, 'lost' | 'impaired'>) {
    this.#watcher = watcher;
    this.#opened.promise.catch(() => undefined);
    this.#ready.promise.catch(() => undefined);
    this.#worker = startThread('writer-thread', { file }, { resourceLimits: SMALL_NURSERY });
    this.#worker.on('message', (message: FromWriter) => this.#receive(message));
    this.#worker.on('error', (cause: Error) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the writer thread has ended')));
  }

  /** Resolves when the file is locked, checked and migrated, and others may read it. */
  opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** See {@link Store.begin}. */
  begin(image: PackedImage): Promise<void> {
    // The arrays are handed over, not copied: they are a copy already.
    const { slots, columns } = image;
    const arrays = [slots.table, ...Object.values(columns)].map(({ buffer }) => buffer);
    this.#send({ kind: 'begin', image }, arrays);
    return this.#ready.promise;
  }

  execute(batch: readonly Submission[]): Promise<readonly Outcome[]> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    this.#executing = Promise.withResolvers();
    this.#send({ kind: 'execute', batch: packBatch(batch) });
    return this.#executing.promise;
  }

  async close(): Promise<void> {
    if (this.#end !== undefined) return;
    this.#end = new Error('the writer is closed');
    const exited = once(this.#worker, 'exit');
    this.#send({ kind: 'close' });
    await exited;
  }

  #send(message: ToWriter, handedOver: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, handedOver);
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case 'opened':
        this.#opened.resolve();
        return;
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve();
        return;
      case 'refused':
        this.#fail(new CannotStart(message.message));
        return;
      case 'damaged':
        this.#watcher.impaired('store_damaged', new DamagedStore(message.message));
        return;
      case 'executed':
        this.#executing?.resolve(unpackOutcomes(message.outcomes));
        return;
    }
  }

  #fail(cause: Error): void {
    if (this.#end !== undefined) return;
    this.#end = cause;
    this.#opened.reject(cause);
    this.#ready.reject(cause);
    this.#executing?.reject(cause);
    if (this.#isReady) this.#watcher.lost(cause);
  }
}
