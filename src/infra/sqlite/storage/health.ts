/** Finds out if a store that is served can be written, and reports the beginning and the end of a fault. */

import type { Impairment } from '../../../app/ports/impairment.ts';
import { isDamage } from '../../../app/ports/store.ts';
import { failedWriteOf } from './fault.ts';

/** The interval of probes while writes fail, in milliseconds. */
const PROBE_MS = 1_000;

/** The impairments that are reported here. */
type Fault = Extract<Impairment, 'storage_full' | 'storage_failing' | 'writes_refused'>;

/** Receives the beginning and the end of each fault. */
interface StorageWatcher {
  impaired(reason: Fault, cause: Error): void;
  mended(reason: Fault): void;
}

/**
 * Tracks if a store can be written, by the results of commands and, after a failure, by probes. A fault
 * of the storage is reported at once. Any other failure may pass in a moment, as the lock of another
 * process does: it is reported if the probe that follows fails, too, or a command at whose end the probe
 * is overdue, because each has waited for that lock.
 */
export class StorageHealth {
  readonly #file: string;
  readonly #probe: () => void;
  readonly #watcher: StorageWatcher;
  #fault: Fault | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The moment of the next probe, in milliseconds as of `performance.now()`. */
  #dueAt = Number.POSITIVE_INFINITY;

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
    else this.#fail(trouble, performance.now() > this.#dueAt ? 'writes_refused' : undefined);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** @param other The fault of an error that is none of the storage; undefined: none as yet. */
  #fail(error: Error, other: Fault | undefined): void {
    // It is reported on its own.
    if (isDamage(error)) return;
    this.#later();
    const { reason = other, cause = error } = failedWriteOf(error, this.#file) ?? {};
    if (reason === undefined || reason === this.#fault) return;
    if (this.#fault !== undefined) this.#watcher.mended(this.#fault);
    this.#fault = reason;
    this.#watcher.impaired(reason, cause);
  }

  #mend(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
    if (this.#fault !== undefined) this.#watcher.mended(this.#fault);
    this.#fault = undefined;
  }

  #tryAgain(): void {
    this.#timer = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
    try {
      this.#probe();
      this.#mend();
    } catch (error) {
      this.#fail(error as Error, 'writes_refused');
      if (this.#fault !== undefined) this.#later();
    }
  }

  #later(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#tryAgain(), PROBE_MS);
    this.#dueAt = performance.now() + PROBE_MS;
  }
}
