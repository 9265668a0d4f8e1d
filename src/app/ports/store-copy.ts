/**
 * The two ports by which a store is copied from one engine to another, exactly as it is stored.
 * Every engine has both, and passes the suite in test/contract/store-copy.ts.
 */

import type { Epochs } from '../log/epochs.ts';
import type { StoredFields } from '../log/recorded-event.ts';
import type { KeptOutcome, OutcomeName } from './event-log.ts';
import type { StoreParts } from './store.ts';

/** A store that is being copied. No server may use it meanwhile. */
export interface StoreOriginal extends StoreParts {
  readonly id: string;
  /**
   * Begins a new epoch if this store is itself a copy, or was handed over: another store may continue
   * the same log. The very copy that it was handed over to does not, as long as it is unfinished.
   * Returns the log's epochs.
   */
  beginDueEpoch(copyId: string | undefined): Promise<Epochs>;
  /** Returns the first kept outcomes after a name, ordered by client and key, at most `limit`. */
  keptOutcomes(after: OutcomeName, limit: number): Promise<readonly KeptOutcome[]>;
  /**
   * Marks this store as handed over to a copy: a server that uses it later begins a new epoch. Throws
   * {@link UserError} while one is running.
   */
  handOver(copyId: string | undefined): Promise<void>;
  /** Returns true if this store was handed over to the copy with this id, and not continued since. */
  wasHandedTo(copyId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** An unfinished copy of a store. It cannot be opened as a store before {@link finish}. */
export interface StoreCopy extends StoreParts {
  /** Differs from that of any other copy, also of one that is begun anew at the same place. */
  readonly copyId: string | undefined;
  /**
   * Appends stored events with their traces, durably: all of them or none. They must follow the
   * head.
   * @param traces By position: see {@link Trail.traces}.
   */
  append(events: readonly StoredFields[], traces: ReadonlyMap<number, string>): Promise<void>;
  /** Adds kept outcomes, durably. Existing ones are left unchanged. */
  keep(outcomes: readonly KeptOutcome[]): Promise<void>;
  /** Adds the log's epochs. Existing ones are left unchanged. */
  enter(epochs: Epochs): Promise<void>;
  /** Completes the copy: it can be opened as a store from now on. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
