import type { Instant } from '../../domain/instant.ts';
import type { ApiKey } from '../api-key.ts';

/**
 * The port to the API keys. A key's record stays for ever, revoked or expired, so that the trail
 * can name who did what. Every engine passes the suite in test/contract/key-store.ts.
 */
export interface KeyStore {
  /** The key with this id, in whatever condition. */
  find(id: string): Promise<ApiKey | undefined>;
  /** All keys, oldest first. */
  list(): Promise<readonly ApiKey[]>;
  /** Adds a key. False where its id is taken; the key that has it stays as it is. */
  add(key: ApiKey): Promise<boolean>;
  /** Revokes a key for good. False where there is no such key, or it is revoked already. */
  revoke(id: string, at: Instant): Promise<boolean>;
}
