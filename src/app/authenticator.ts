import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, hashKeyText, keyIdOf } from './api-key.ts';
import type { KeyStore } from './ports/key-store.ts';

/** How long a key's record may be remembered, in milliseconds: a revocation works within it. */
const REMEMBERED_FOR = 500;
/** How many keys are remembered at most; beyond it, the memory starts anew. */
const REMEMBERED_KEYS = 10_000;

/** Tells who is asking. */
export class Authenticator {
  readonly #keys: KeyStore;
  readonly #now: () => number;
  readonly #remembered = new Map<string, { key: ApiKey; until: number }>();

  constructor(keys: KeyStore, now: () => number = Date.now) {
    this.#keys = keys;
    this.#now = now;
  }

  /** The key with this text, if it is well-formed, known, not revoked and not expired. */
  async authenticate(text: string): Promise<ApiKey | undefined> {
    const id = keyIdOf(text);
    if (id === undefined) return undefined;
    const now = this.#now();
    const key = this.#recall(id, now) ?? (await this.#lookUp(id, now));
    if (key === undefined || !timingSafeEqual(hashKeyText(text), key.hash)) return undefined;
    if (key.revokedAt !== undefined) return undefined;
    if (key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now) return undefined;
    return key;
  }

  #recall(id: string, now: number): ApiKey | undefined {
    const remembered = this.#remembered.get(id);
    return remembered !== undefined && remembered.until > now ? remembered.key : undefined;
  }

  async #lookUp(id: string, now: number): Promise<ApiKey | undefined> {
    const key = await this.#keys.find(id);
    if (key === undefined) return undefined;
    if (this.#remembered.size >= REMEMBERED_KEYS) this.#remembered.clear();
    this.#remembered.set(id, { key, until: now + REMEMBERED_FOR });
    return key;
  }
}
