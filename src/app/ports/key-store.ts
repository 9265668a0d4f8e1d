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
}
