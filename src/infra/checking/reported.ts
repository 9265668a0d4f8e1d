/** The reports about a store that is served: of impairments that looks at it find, and of its migration. */

import type { Impairment } from '../../app/ports/impairment.ts';
import { isDamage, type StoreWatcher } from '../../app/ports/store.ts';

type Reports = Pick<StoreWatcher, 'impaired' | 'mended'>;

/** The report of one impairment: it begins with a cause, and ends without one. */
export class Reported {
  readonly #watcher: Reports;
  readonly #impairment: Impairment;
  #isOn = false;

  constructor(watcher: Reports, impairment: Impairment) {
    this.#watcher = watcher;
    this.#impairment = impairment;
  }

  /** True from a call with a cause to the next without one. */
  get isOn(): boolean {
    return this.#isOn;
  }

  note(cause: Error | undefined): void {
    if (cause !== undefined) this.#watcher.impaired(this.#impairment, cause);
    else if (this.#isOn) this.#watcher.mended(this.#impairment);
    this.#isOn = cause !== undefined;
  }

  /** Notes the first of some clauses as the cause, or that there is none. */
  noteFirst([clause]: readonly string[]): void {
    this.note(clause === undefined ? undefined : new Error(clause));
  }
}

/**
 * Reports that the log of a store cannot be read, and that it can again, by the looks at its head that
 * are made while the store is served: a service whose every request fails is not ready.
 */
export class Readability {
  readonly #watcher: Reports;
  readonly #unreadable: Reported;

  constructor(watcher: Reports) {
    this.#watcher = watcher;
    this.#unreadable = new Reported(watcher, 'store_unreadable');
  }

  /** Must be called after each look, with its error if it failed. */
  note(error: Error | undefined): void {
    if (error !== undefined && isDamage(error)) this.#watcher.impaired('store_damaged', error);
    else this.#unreadable.note(error);
  }
}

/** Returns the notice that a start has migrated the store of an earlier version: its words, and details. */
export function migratedNotice(from: number, to: number) {
  return ['the store was migrated to the schema of this version', { from, to }] as const;
}
