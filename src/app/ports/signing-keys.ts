/** The port to the list of the keys that a store has signed with. */

import type { Instant } from '../../domain/instant.ts';

/** A key that a store has signed with. */
export interface SignedWith {
  /** Its public half: `NAME+ID+BASE64`; empty where a store is older than this record of it. */
  readonly verifierKey: string;
  /** The time from which it signed. */
  readonly since: Instant;
}

/**
 * The port to the list of the keys that a store has signed with, which is in the store itself: it
 * shows when the file of the key is missing, or has another key. It is append-only.
 */
export interface SigningKeys {
  /** Returns all of them, the oldest first: the last one signs. */
  list(): Promise<readonly SignedWith[]>;
  /**
   * Adds, durably, the key that signs from now on. Adds nothing and returns false unless the list
   * has exactly `known` keys: another process has added one meanwhile.
   */
  add(key: SignedWith, known: number): Promise<boolean>;
}
