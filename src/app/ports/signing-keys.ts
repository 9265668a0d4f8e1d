import type { Instant } from '../../domain/instant.ts';

/** A key that a store has signed with. */
export interface SignedWith {
  /** Its public half: `NAME+ID+BASE64`; empty where a store is older than this record of it. */
  readonly verifierKey: string;
  /** The time from which it signed. */
  readonly since: Instant;
}

/**
 * The port to the record of the keys that a store has signed with, which the store itself keeps: by
 * it a key that is missing or another is noticed. It is append-only.
 */
export interface SigningKeys {
  /** All of them, the oldest first: the last one signs. */
  list(): Promise<readonly SignedWith[]>;
  /**
   * Notes, durably, that a key signs from now on. False, and nothing is noted, unless just `known`
   * of them were noted before: somebody else has noted one meanwhile.
   */
  add(key: SignedWith, known: number): Promise<boolean>;
}
