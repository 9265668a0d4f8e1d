/** The port to the API keys, and their records. */

import type { Instant } from '../../domain/instant.ts';

/**
 * The port to the API keys. Records are never deleted, so that the trail can name the author of
 * every event. Every engine passes the suite in test/contract/key-store.ts.
 */
export interface KeyStore {
  /** Returns the key with this id, even if it is revoked or has expired. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Returns all keys, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /**
   * Returns the number of keys. Reads each, a few at a time; throws {@link DamagedStore} if one is damaged.
   */
  count(): Promise<number>;
  /**
   * Adds a key. Returns false, and changes nothing, if its id is taken. Throws {@link DamagedStore},
   * and changes nothing, if the key that has the id cannot be found: it may have been revoked.
   */
  add(key: ApiKey): Promise<boolean>;
  /** Revokes a key permanently. Returns false if there is no such key, or it was revoked before. */
  revoke(id: string, at: Instant): Promise<boolean>;
  /**
   * Replaces the limits of a key, revoked or not. Returns false if there is no such key.
   * @param before Limits that it must still have, or else this returns false and changes nothing.
   */
  limit(id: string, limits: KeyLimits, before?: KeyLimits): Promise<boolean>;
}

/** The permissions that a key can have. */
export const SCOPES = [
  'orders:read',
  'orders:write',
  'orders:cancel',
  'audit:read',
  'metrics:read',
] as const;
export type Scope = (typeof SCOPES)[number];

/** An API key as it is stored: everything but the key itself. */
export interface ApiKey {
  /** Public: it is part of the key's text, of log lines and of the events' metadata. */
  readonly id: string;
  /** The name given by an operator. */
  readonly name: string;
  /** SHA-256 of the key's text, 32 bytes. */
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly createdAt: Instant;
  readonly expiresAt?: Instant;
  readonly revokedAt?: Instant;
  /** Never an empty object: absent if the key has no limits of its own. */
  readonly limits?: KeyLimits;
}

/** Bounds on the use of a key, by each instance of the service on its own. */
export interface KeyLimits {
  readonly rate?: RateLimit;
  /** The most requests in flight. */
  readonly concurrent?: number;
  /** The most open event streams. */
  readonly streams?: number;
}

/** A rate of requests: a token bucket that is full at first. */
export interface RateLimit {
  /** The average number of requests in each window. */
  readonly requests: number;
  /** The window, in seconds. */
  readonly seconds: number;
  /** The most requests at once after a pause: the capacity of the bucket. */
  readonly burst: number;
}
