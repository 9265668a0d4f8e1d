/** The port to the API keys, and their records. */

import type { Instant } from '../../domain/instant.ts';

/**
 * The port to the API keys. A key's record stays for ever, revoked or expired, so that the trail
 * can name who did something. Every engine passes the suite in test/contract/key-store.ts.
 */
export interface KeyStore {
  /** Returns the key with this id, in force or not. */
  find(id: string): Promise<ApiKey | undefined>;
  /** Returns all keys, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Adds a key. False where its id is taken; the key that has it stays as it is. */
  add(key: ApiKey): Promise<boolean>;
  /** Revokes a key for good. False where there is no such key, or it is revoked already. */
  revoke(id: string, at: Instant): Promise<boolean>;
  /** Replaces the limits of a key, revoked or not. False where there is no such key. */
  limit(id: string, limits: KeyLimits): Promise<boolean>;
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
  /** Public: it stands in the key's own text, in the log file and in the events' metadata. */
  readonly id: string;
  /** The name that people gave it. */
  readonly name: string;
  /** SHA-256 of the key's text, 32 bytes. */
  readonly hash: Buffer;
  readonly scopes: readonly Scope[];
  readonly createdAt: Instant;
  readonly expiresAt?: Instant;
  readonly revokedAt?: Instant;
  /** Never empty: absent where the key has none of its own. */
  readonly limits?: KeyLimits;
}

/** Bounds on the use of a key, by each instance of the service on its own. */
export interface KeyLimits {
  readonly rate?: RateLimit;
  /** The requests that may be under way at once. */
  readonly concurrent?: number;
  /** The event streams that may be open at once. */
  readonly streams?: number;
}

/** A rate of requests: a token bucket that is full at first. */
export interface RateLimit {
  /** The requests in each window, in the long run. */
  readonly requests: number;
  /** The window, in seconds. */
  readonly seconds: number;
  /** The requests at once after a pause: the capacity of the bucket. */
  readonly burst: number;
}
