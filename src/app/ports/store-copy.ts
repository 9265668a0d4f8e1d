import type { StoredFields } from '../audit/record.ts';
import type { Epochs } from '../epochs.ts';
import type { KeptOutcome, OutcomeName } from './event-log.ts';
import type { KeyStore } from './key-store.ts';
import type { RefusalTrail } from './refusal-trail.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { Trail } from './trail.ts';

/**
 * The two ports by which a store moves from one engine to another: everything in it, as it is
 * stored. Every engine has both, and passes the suite in test/contract/store-copy.ts.
 */

/** A store that is to be copied. No server serves it meanwhile. */
export interface StoreOriginal {
  readonly id: string;
  readonly epochs: Epochs;
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  /** The first kept outcomes after a name, in the order of askers and keys, at most `limit`. */
  keptOutcomes(after: OutcomeName, limit: number): Promise<readonly KeptOutcome[]>;
  /** The copy goes on as this store: whoever goes on with this one as well begins a new epoch. */
  handOver(): Promise<void>;
  close(): Promise<void>;
}

/** A store that is being made as a copy of another. Nobody can open it until it is whole. */
export interface StoreCopy {
  readonly trail: Trail;
  readonly refusals: RefusalTrail;
  readonly keys: KeyStore;
  readonly signingKeys: SigningKeys;
  /** Appends events as they are stored, durably: all of them or none. They must follow the head. */
  append(events: readonly StoredFields[]): Promise<void>;
  /** Keeps outcomes, durably. Those that are kept already stay as they are. */
  keep(outcomes: readonly KeptOutcome[]): Promise<void>;
  /** Takes over the epochs that the log has been in. Those that are there already stay. */
  enter(epochs: Epochs): Promise<void>;
  /** The copy is whole: from now on it is a store like any other. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
