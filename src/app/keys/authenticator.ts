import { timingSafeEqual } from 'node:crypto';
import { CLOCKS, type Clocks, clockForExpiry } from '../clock.ts';
import type { ApiKey, KeyStore } from '../ports/key-store.ts';
import { hashKeyText, isInForce, KEY_ID, keyIdOf } from './api-key.ts';

/** The time for which a key's record is cached: a revocation takes effect within it. */
const REMEMBERED_MS = 500;
/** The most keys that are cached; beyond it, the cache is cleared. */
const MAX_REMEMBERED_KEYS = 10_000;

/** A cached record of a key. */
interface Remembered {
  readonly key: ApiKey;
  /** By the elapsed time: a wall clock that is set back would make it last. */
  readonly until: number;
  /** The text that has the key's hash, once somebody has sent it. */
  text: Buffer | undefined;
}

/** Finds the key that a request was sent with. */
export class Authenticator {
  readonly #keys: KeyStore;
  readonly #elapsed: () => number;
  readonly #clockForExpiry: () => number;
  readonly #remembered = new Map<string, Remembered>();

  constructor(keys: KeyStore, clocks: Clocks = CLOCKS) {
    this.#keys = keys;
    this.#elapsed = clocks.elapsed;
    this.#clockForExpiry = clockForExpiry(clocks);
  }

  /**
   * Returns the key with this text, if it is well-formed, known, not revoked and not expired. A
   * cached key is returned without a promise, which would cost more than all the rest.
   */
  authenticate(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const at = this.#elapsed();
    const remembered = this.#recall(text, at);
    if (remembered !== undefined) return this.#admitted(remembered, text);
    return this.#lookUp(text, at).then((found) => found && this.#admitted(found, text));
  }

  /** Returns true if a key that was admitted before would be admitted now. */
  async isStillInForce(id: string): Promise<boolean> {
    const key = await this.#keys.find(id);
    return key !== undefined && isInForce(key, this.#clockForExpiry);
  }

  // The text need not be checked for its form: it is compared as a whole later.
  #recall(text: string, at: number): Remembered | undefined {
    const remembered = this.#remembered.get(text.slice(...KEY_ID));
    return remembered !== undefined && remembered.until > at ? remembered : undefined;
  }

  async #lookUp(text: string, at: number): Promise<Remembered | undefined> {
    const id = keyIdOf(text);
    const key = id === undefined ? undefined : await this.#keys.find(id);
    if (key === undefined) return undefined;
    if (this.#remembered.size >= MAX_REMEMBERED_KEYS) this.#remembered.clear();
    const remembered = { key, until: at + REMEMBERED_MS, text: undefined };
    this.#remembered.set(key.id, remembered);
    return remembered;
  }

  #admitted(remembered: Remembered, text: string): ApiKey | undefined {
    if (!isTextOf(remembered, text)) return undefined;
    return isInForce(remembered.key, this.#clockForExpiry) ? remembered.key : undefined;
  }
}

/**
 * Compares a text with a key's, in constant time. It is hashed once for each time that the record
 * is looked up: to compare two texts takes a third of the time.
 */
function isTextOf(remembered: Remembered, text: string): boolean {
  const { key, text: known } = remembered;
  const given = Buffer.from(text);
  if (known !== undefined) return given.length === known.length && timingSafeEqual(given, known);
  if (!timingSafeEqual(hashKeyText(text), key.hash)) return false;
  remembered.text = given;
  return true;
}
