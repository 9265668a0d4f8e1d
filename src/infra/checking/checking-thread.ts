/** The service's side of the thread that checks a store. The thread's side is keep-checking.ts. */

import type { Worker } from 'node:worker_threads';
import {
  AlteredSchema,
  DamagedStore,
  type StoreCheck,
  type StoreWatcher,
} from '../../app/ports/store.ts';
import { startThread } from '../process/start-thread.ts';
import type { FromCheck, ToCheck } from './keep-checking.ts';

type Engine = 'sqlite' | 'postgres';
type Reports = Pick<StoreWatcher, 'impaired' | 'mended' | 'noticed'>;
type Result = Exclude<FromCheck, { readonly kind: 'not_lowered' }>;

const NOT_LOWERED = 'the check of the store cannot have a lower priority than requests';

/** A thread that checks a store repeatedly while it is served. */
export class CheckingThread implements StoreCheck {
  readonly #bytesPerSecond: number;
  readonly #worker: Worker;
  readonly #once = Promise.withResolvers<void>();
  #isShort = false;
  /** True while the last round has found the schema altered. */
  #isAltered = false;

  /**
   * Starts the thread, which waits for {@link begin}. It does not keep the process from ending.
   * @param bytesPerSecond See {@link ToCheck}.
   */
  constructor(engine: Engine, bytesPerSecond: number, watcher: Reports) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#worker = startThread(`${engine}/check-thread`, {});
    // No caller may be waiting.
    this.#once.promise.catch(() => undefined);
    this.#worker.on('message', (message: FromCheck) => {
      if (message.kind === 'not_lowered') {
        watcher.noticed(NOT_LOWERED, { cause: message.message });
        return;
      }
      const end = this.#report(message, watcher);
      if (end === undefined) this.#once.resolve();
      else this.#once.reject(end);
    });
    this.#worker.on('error', (cause: Error) => this.#once.reject(cause));
    this.#worker.on('exit', () => this.#once.reject(new Error('the check has ended')));
    this.#worker.unref();
  }

  /** Reports the result of a round. Returns the reason why the store was not found whole, if any. */
  #report(result: Result, watcher: Reports): Error | undefined {
    if (result.kind === 'failed')
      return new Error(`the store cannot be checked: ${result.message}`);
    if (result.kind === 'checked') {
      if (this.#isAltered) watcher.mended('schema_altered');
      this.#isAltered = false;
      return undefined;
    }
    this.#isAltered = result.kind === 'altered';
    const cause = new (this.#isAltered ? AlteredSchema : DamagedStore)(result.message);
    watcher.impaired(this.#isAltered ? 'schema_altered' : 'store_damaged', cause);
    return cause;
  }

  /** Begins to check a store, which has to be there. */
  begin(at: string, isShort: boolean): void {
    this.#isShort = isShort;
    const given: ToCheck = { at, bytesPerSecond: this.#bytesPerSecond, isShort };
    this.#worker.postMessage(given);
  }

  get isShort(): boolean {
    return this.#isShort;
  }

  /** Resolves when everything was checked once. Keeps the process alive until then. */
  async checkOnce(signal: AbortSignal): Promise<void> {
    this.#worker.ref();
    const stop = () => this.#once.reject(signal.reason);
    signal.addEventListener('abort', stop);
    try {
      signal.throwIfAborted();
      await this.once;
    } finally {
      signal.removeEventListener('abort', stop);
      await this.close();
    }
  }

  get once(): Promise<void> {
    return this.#once.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}

/**
 * Opens a store for a server. The thread that will check it starts meanwhile, and ends if the store cannot be
 * opened.
 * @param bytesPerSecond See {@link ToCheck}; undefined: the store is not checked.
 */
export async function openChecked<Opened>(
  engine: Engine,
  bytesPerSecond: number | undefined,
  watcher: Reports,
  open: (check: CheckingThread | undefined) => Promise<Opened>,
): Promise<Opened> {
  if (bytesPerSecond === undefined) return open(undefined);
  const check = new CheckingThread(engine, bytesPerSecond, watcher);
  try {
    return await open(check);
  } catch (error) {
    await check.close();
    throw error;
  }
}

/**
 * Checks a store once, in a thread of its own, which has closed the store when this settles. Throws
 * {@link DamagedStore}, the reason why it cannot be checked, or the reason of the aborted signal.
 */
export function checkInThread(engine: Engine, at: string, signal: AbortSignal): Promise<void> {
  const thread = new CheckingThread(engine, 0, { impaired() {}, mended() {}, noticed() {} });
  thread.begin(at, true);
  return thread.checkOnce(signal);
}
