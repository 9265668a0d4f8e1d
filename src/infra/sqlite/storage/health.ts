import { type StorageFault, storageFaultOf } from './fault.ts';

/** The interval of probes while the storage fails, in milliseconds. */
const PROBE_MS = 1_000;

/** Receives the beginning and the end of each storage fault. */
interface StorageWatcher {
  impaired(reason: StorageFault['reason'], cause: Error): void;
  mended(reason: StorageFault['reason']): void;
}

/** Tracks if a store can be written, by the results of commands and, after a failure, by probes. */
export class StorageHealth {
  readonly #file: string;
  readonly #probe: () => void;
  readonly #watcher: StorageWatcher;
  #fault: StorageFault | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param file The store's file.
   * @param probe Tries to write something that changes nothing, and throws if that fails.
   */
  constructor(file: string, probe: () => void, watcher: StorageWatcher) {
    this.#file = file;
    this.#probe = probe;
    this.#watcher = watcher;
  }

  /** Must be called after each command, with the error if it could not be recorded. */
  note(trouble: Error | undefined): void {
    if (trouble === undefined) this.#mend();
    else this.#fail(storageFaultOf(trouble, this.#file));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #fail(fault: StorageFault | undefined): void {
    // Not a storage fault, but for example another process's lock.
    if (fault === undefined) return;
    const before = this.#fault?.reason;
    this.#fault = fault;
    if (before === fault.reason) return;
    if (before !== undefined) this.#watcher.mended(before);
    this.#watcher.impaired(fault.reason, fault.cause);
    this.#timer ??= setTimeout(() => this.#tryAgain(), PROBE_MS);
  }

  #mend(): void {
    if (this.#fault === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watcher.mended(this.#fault.reason);
    this.#fault = undefined;
  }

  #tryAgain(): void {
    this.#timer = undefined;
    try {
      this.#probe();
      this.#mend();
    } catch (error) {
      this.#fail(storageFaultOf(error, this.#file));
      this.#timer ??= setTimeout(() => this.#tryAgain(), PROBE_MS);
    }
  }
}
