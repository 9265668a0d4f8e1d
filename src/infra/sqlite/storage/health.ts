import { type StorageFault, storageFaultOf } from './fault.ts';

/** The interval of the probes of a storage that has failed, in milliseconds. */
const PROBE_MS = 1_000;

/** Receives the beginning and the end of each fault of the storage. */
interface StorageWatcher {
  impaired(reason: StorageFault['reason'], cause: Error): void;
  mended(reason: StorageFault['reason']): void;
}

/** Follows whether a store can be written: by what becomes of commands, and else by a probe. */
export class StorageHealth {
  readonly #file: string;
  readonly #probe: () => void;
  readonly #watcher: StorageWatcher;
  #fault: StorageFault | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param file The store's file.
   * @param probe Tries to write something that changes nothing, and throws where that fails.
   */
  constructor(file: string, probe: () => void, watcher: StorageWatcher) {
    this.#file = file;
    this.#probe = probe;
    this.#watcher = watcher;
  }

  /** To be called after each command, with the reason if it could not be recorded. */
  note(trouble: Error | undefined): void {
    if (trouble === undefined) this.#mend();
    else this.#fail(storageFaultOf(trouble, this.#file));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #fail(fault: StorageFault | undefined): void {
    // A lock that others hold, for one, is no fault of the storage.
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
