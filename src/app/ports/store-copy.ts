/**
 * The two ports by which a store moves from one engine to another: everything in it, as it is
 * stored. Every engine has both, and passes the suite in test/contract/store-copy.ts.
 */

import type { Epochs } from '../log/epochs.ts';
import type { StoredFields } from '../log/recorded-event.ts';
import type { KeptOutcome, OutcomeName } from './event-log.ts';
import type { StoreParts } from './store.ts';

/** A store that is to be copied. No server uses it meanwhile. */
export interface StoreOriginal extends StoreParts {
  readonly id: string;
  readonly epochs: Epochs;
  /** Returns the first stored outcomes after a name, by submitter and key, at most `limit`. */
  keptOutcomes(after: OutcomeName, limit: number): Promise<readonly KeptOutcome[]>;
  /**
   * Marks this store as handed over to its copy: a server that still uses it begins a new epoch.
   */
  handOver(): Promise<void>;
  close(): Promise<void>;
}

/** An unfinished copy of a store. It cannot be opened as a store before {@link finish}. */
export interface StoreCopy extends StoreParts {
  /**
   * Appends stored events with their traces, durably: all of them or none. They must follow the head.
   * @param traces By position: see {@link Trail.traces}.
   */
  append(events: readonly StoredFields[], traces: ReadonlyMap<number, string>): Promise<void>;
  /** Adds stored outcomes, durably. Outcomes that are there already stay as they are. */
  keep(outcomes: readonly KeptOutcome[]): Promise<void>;
  /** Adds the log's epochs. Epochs that are there already stay as they are. */
  enter(epochs: Epochs): Promise<void>;
  /** Makes the copy a store like any other. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
