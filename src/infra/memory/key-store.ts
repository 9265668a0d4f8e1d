import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, KeyLimits, KeyStore } from '../../app/ports/key-store.ts';
import type { Instant } from '../../domain/instant.ts';

/** The API keys in memory: the port's reference implementation, for tests. */
export class MemoryKeyStore implements KeyStore {
  readonly #keys = new Map<string, ApiKey>();

  async find(id: string): Promise<ApiKey | undefined> {
    return this.#keys.get(id);
  }

  async list(): Promise<readonly ApiKey[]> {
    return [...this.#keys.values()].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  }

  async count(): Promise<number> {
    return this.#keys.size;
  }

  async add(key: ApiKey): Promise<boolean> {
    if (this.#keys.has(key.id)) return false;
    this.#keys.set(key.id, key);
    return true;
  }

  async revoke(id: string, at: Instant): Promise<boolean> {
    const key = this.#keys.get(id);
    if (key === undefined || key.revokedAt !== undefined) return false;
    this.#keys.set(id, { ...key, revokedAt: at });
    return true;
  }

  async limit(id: string, limits: KeyLimits, before?: KeyLimits): Promise<boolean> {
    const { limits: present = {}, ...key } = this.#keys.get(id) ?? {};
    if (!('id' in key)) return false;
    if (before !== undefined && !isDeepStrictEqual(present, before)) return false;
    this.#keys.set(id, { ...key, ...(Object.keys(limits).length === 0 ? {} : { limits }) });
    return true;
  }
}
