/** The server's end of the writer's thread: writer-thread.ts. */

import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { CLOCKS } from '../../app/clock.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { PackedColumn, PackedImage } from '../../app/log/packed-fold.ts';
import type { Outcome, Submission } from '../../app/log/submission.ts';
import type { BatchWriter } from '../../app/ports/batch-writer.ts';
import type { Impairment } from '../../app/ports/impairment.ts';
import type { CheckpointCounters, StoreWatcher } from '../../app/ports/store.ts';
import { SMALL_NURSERY, startThread } from '../process/start-thread.ts';
import { AppendSignal } from './append-signal.ts';
import { keepWalApart } from './wal/wal.ts';
import { type FromWriter, packBatch, type ToWriter, unpackOutcomes } from './writer-messages.ts';

/** The reason why a file cannot be written at this time. */
export interface Waiting {
  readonly reason: Impairment;
  readonly cause: Error;
}

const NOT_YET: Outcome = { kind: 'unavailable', cause: 'the store cannot be written yet' };

/** Sends batches to the writer's thread: the same port as the Writer behind it. */
export class WorkerWriter implements BatchWriter {
  /** Tells of each append of the thread. */
  readonly signal = new AppendSignal();
  readonly #worker: Worker;
  readonly #file: string;
  readonly #watcher: StoreWatcher;
  #opening = Promise.withResolvers<Waiting | undefined>();
  readonly #ready = Promise.withResolvers<void>();
  #executing: PromiseWithResolvers<readonly Outcome[]> | undefined;
  #isReady = false;
  #madeAt: string | undefined;
  #end: Error | undefined;
  #checkpoints: CheckpointCounters = { done: 0, incomplete: 0, failed: 0, walBytes: 0 };
  /** The elapsed time at which the last checkpoint was done. */
  #checkpointedAt: number | undefined;

  constructor(file: string, watcher: StoreWatcher) {
    this.#file = file;
    this.#watcher = watcher;
    this.#opening.promise.catch(() => undefined);
    this.#ready.promise.catch(() => undefined);
    this.#worker = startThread(
      'sqlite/writer-thread',
      { file, signalled: this.signal.memory },
      { resourceLimits: SMALL_NURSERY },
    );
    this.#worker.on('message', (message: FromWriter) => this.#receive(message));
    this.#worker.on('error', (cause: Error) => this.#fail(cause));
    this.#worker.on('exit', () => this.#fail(new Error('the writer thread has ended')));
  }

  /**
   * Resolves when the file is locked, checked and migrated, and can be read; or with the reason why
   * it cannot be written at this time. Rejects if it must not be served.
   */
  opened(): Promise<Waiting | undefined> {
    return this.#opening.promise;
  }

  /** Tries once more to open a file that could not be written: see {@link opened}. */
  reopen(): Promise<Waiting | undefined> {
    // A thread that has ended answers nothing.
    if (this.#end !== undefined) return Promise.reject(this.#end);
    this.#opening = Promise.withResolvers();
    this.#send({ kind: 'open' });
    return this.#opening.promise;
  }

  /** See {@link Store.madeAt}. */
  get madeAt(): string | undefined {
    return this.#madeAt;
  }

  get checkpoints(): CheckpointCounters {
    const at = this.#checkpointedAt;
    return at === undefined
      ? this.#checkpoints
      : { ...this.#checkpoints, ageMs: CLOCKS.elapsed() - at };
  }

  /** See {@link Store.begin}. */
  begin(image: PackedImage): Promise<void> {
    // The arrays are transferred, not cloned: they are a copy already.
    const { slots, columns } = image;
    const segments = Object.values(columns).flatMap((column: PackedColumn) => column.segments);
    const buffers = segments.map(({ offsets }) => offsets.buffer as ArrayBuffer);
    this.#send({ kind: 'begin', image }, [slots.table.table.buffer, ...buffers]);
    return this.#ready.promise;
  }

  execute(batch: readonly Submission[]): Promise<readonly Outcome[]> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    if (!this.#isReady) return Promise.resolve(batch.map(() => NOT_YET));
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

  #send(message: ToWriter, transferred: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transferred);
  }

  #receive(message: FromWriter): void {
    switch (message.kind) {
      case 'opened':
        this.#madeAt = message.madeAt;
        this.#opening.resolve(undefined);
        return;
      case 'waiting':
        this.#opening.resolve({ reason: message.reason, cause: new Error(message.cause) });
        return;
      case 'ready':
        this.#isReady = true;
        this.#ready.resolve();
        return;
      case 'refused':
        this.#fail(new UserError(message.message));
        return;
      case 'executed':
        this.#executing?.resolve(unpackOutcomes(message.outcomes));
        return;
      case 'impaired':
        this.#watcher.impaired(message.reason, new Error(message.cause));
        return;
      case 'mended':
        this.#watcher.mended(message.reason);
        return;
      case 'noticed':
        this.#watcher.noticed(message.message, message.details);
        return;
      case 'checkpointed':
        if (message.counters.done > this.#checkpoints.done) this.#checkpointedAt = CLOCKS.elapsed();
        this.#checkpoints = message.counters;
        return;
      case 'wal_damaged':
        keepWalApart(this.#file);
        return;
    }
  }

  #fail(cause: Error): void {
    if (this.#end !== undefined) return;
    this.#end = cause;
    this.#opening.reject(cause);
    this.#ready.reject(cause);
    this.#executing?.reject(cause);
    if (this.#isReady) this.#watcher.lost(cause);
  }
}
