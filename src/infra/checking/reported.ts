/** The report of one impairment: it begins with a cause, and ends without one. */

import type { Impairment } from '../../app/ports/impairment.ts';
import type { StoreWatcher } from '../../app/ports/store.ts';

export class Reported {
  readonly #watcher: Pick<StoreWatcher, 'impaired' | 'mended'>;
  readonly #impairment: Impairment;
  #isOn = false;

  constructor(watcher: Pick<StoreWatcher, 'impaired' | 'mended'>, impairment: Impairment) {
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
