import type { Worker } from 'node:worker_threads';
import { DamagedStore, type StoreWatcher } from '../app/ports/store.ts';
import type { StoreCheck } from '../app/ports/store-check.ts';
import type { FromCheck } from './keep-checking.ts';

/** The service's end of a thread that checks its store. */
export class CheckingThread implements StoreCheck {
  readonly isShort: boolean;
  readonly #worker: Worker;
  readonly #once = Promise.withResolvers<void>();

  /**
   * @param start Starts the thread.
   * @param isShort See {@link StoreCheck.isShort}.
   */
  constructor(start: () => Worker, isShort: boolean, watcher: Pick<StoreWatcher, 'impaired'>) {
    this.isShort = isShort;
    this.#worker = start();
    const damaged = (cause: Error) => {
      watcher.impaired('store_damaged', cause);
      this.#once.reject(cause);
    };
    // Nobody may be waiting any more.
    this.#once.promise.catch(() => undefined);
    this.#worker.on('message', (message: FromCheck) => {
      if (message.kind === 'checked') this.#once.resolve();
      else if (message.kind === 'damaged') damaged(new DamagedStore(message.message));
      else this.#once.reject(new Error(`the store cannot be checked: ${message.message}`));
    });
    this.#worker.on('error', (cause: Error) => this.#once.reject(cause));
    this.#worker.on('exit', () => this.#once.reject(new Error('the check has ended')));
    this.#worker.unref();
  }

  get once(): Promise<void> {
    return this.#once.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * Checks a store once in a thread of its own. Throws {@link DamagedStore}, or why it cannot be checked.
 * @param start Starts the thread.
 */
export async function checkInThread(start: () => Worker): Promise<void> {
  let worker: Worker | undefined;
  const begin = () => {
    worker = start();
    return worker;
  };
  const thread = new CheckingThread(begin, true, { impaired() {} });
  worker?.ref();
  try {
    await thread.once;
  } finally {
    await thread.close();
  }
}
