/** The port to the list of the keys that a store has signed with. */

import type { Instant } from '../../domain/instant.ts';

/** A key with which a store has signed. */
export interface SignedWith {
  /** The public half: `NAME+ID+BASE64`; empty in a store that is older than this list. */
  readonly verifierKey: string;
  /** The time of its first use. */
  readonly since: Instant;
}

/**
 * The port to the list of the keys with which a store has signed. It is append-only and stored in
 * the store itself, so that a missing or exchanged key file is detected.
 */
export interface SigningKeys {
  /** Returns all keys, oldest first: the last one signs. */
  list(): Promise<readonly SignedWith[]>;
  /**
   * Adds, durably, the key that signs from now on. Returns false, and adds nothing, unless the list
   * has exactly `known` keys: another process has added one meanwhile.
   */
  add(key: SignedWith, known: number): Promise<boolean>;
}
