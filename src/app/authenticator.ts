import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, hashKeyText, isInForce, KEY_ID, keyIdOf } from './api-key.ts';
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

  /**
   * The key with this text, if it is well-formed, known, not revoked and not expired: at once where
   * the key is remembered, which nearly all are, because a promise costs more than all the rest.
   */
  authenticate(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const now = this.#now();
    const key = this.#recall(text, now);
    if (key !== undefined) return admitted(key, text, now);
    return this.#lookUp(text, now).then((found) => found && admitted(found, text, now));
  }

  // Whether the text is well-formed need not be asked again: its hash will tell it from the key's.
  #recall(text: string, now: number): ApiKey | undefined {
    const remembered = this.#remembered.get(text.slice(...KEY_ID));
    return remembered !== undefined && remembered.until > now ? remembered.key : undefined;
  }

  async #lookUp(text: string, now: number): Promise<ApiKey | undefined> {
    const id = keyIdOf(text);
    const key = id === undefined ? undefined : await this.#keys.find(id);
    if (key === undefined) return undefined;
    if (this.#remembered.size >= REMEMBERED_KEYS) this.#remembered.clear();
    this.#remembered.set(key.id, { key, until: now + REMEMBERED_FOR });
    return key;
  }
}

function admitted(key: ApiKey, text: string, now: number): ApiKey | undefined {
  if (!timingSafeEqual(hashKeyText(text), key.hash)) return undefined;
  return isInForce(key, now) ? key : undefined;
}
