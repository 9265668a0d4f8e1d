import { timingSafeEqual } from 'node:crypto';
import { CLOCKS, type Clocks, clockForExpiry } from '../clock.ts';
import type { ApiKey, KeyStore } from '../ports/key-store.ts';
import { isDamage, StoreUnavailable } from '../ports/store.ts';
import { hashKeyText, isInForce, KEY_ID, keyIdOf } from './api-key.ts';

/** The time for which a key's record is cached: a revocation takes effect within it. */
const REMEMBERED_MS = 500;
/** The most keys that are cached; beyond it, the cache is cleared. */
const MAX_REMEMBERED_KEYS = 10_000;

const NOT_ADDED = new Error('the initial key is not in the store yet');

/** A cached record of a key. */
interface Remembered {
  readonly key: ApiKey;
  /** By the elapsed time: a wall clock set back would prolong it. */
  readonly until: number;
  /** The key's text, once a request has sent it. */
  text: Buffer | undefined;
}

/** A look-up of a key's record in flight. */
interface LookUp {
  readonly since: number;
  readonly found: Promise<Remembered | undefined>;
}

/** Authenticates requests by their API keys. */
export class Authenticator {
  readonly #keys: KeyStore;
  readonly #elapsed: () => number;
  readonly #clockForExpiry: () => number;
  readonly #dueId: string | undefined;
  readonly #remembered = new Map<string, Remembered>();
  /** By the id of the key. */
  readonly #underWay = new Map<string, LookUp>();

  /** @param dueText A key that a start adds, as soon as the store can be written. */
  constructor(keys: KeyStore, clocks: Clocks = CLOCKS, dueText = '') {
    this.#keys = keys;
    this.#elapsed = clocks.elapsed;
    this.#clockForExpiry = clockForExpiry(clocks);
    this.#dueId = keyIdOf(dueText);
  }

  /**
   * Returns the key with this text, if it is well-formed, known, not revoked and not expired. A
   * cached key is returned without a promise, which would cost more than all the rest. Rejects with
   * {@link StoreUnavailable} for a key that is still to be added: it is not refused for good.
   */
  authenticate(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const at = this.#elapsed();
    const remembered = this.#recall(text, at);
    if (remembered !== undefined) return this.#admitted(remembered, text);
    return this.#lookUp(text, at).then((found) => found && this.#admitted(found, text));
  }

  /**
   * The same, but by the record that was read last while the store is away: for what shows that it
   * is. Only meanwhile, a revocation goes unnoticed.
   */
  async authenticateAnyway(text: string): Promise<ApiKey | undefined> {
    try {
      return await this.authenticate(text);
    } catch (error) {
      const last = this.#remembered.get(text.slice(...KEY_ID));
      if (last === undefined || !(error instanceof StoreUnavailable) || isDamage(error))
        throw error;
      return this.#admitted(last, text);
    }
  }

  /** Returns true if a key that was admitted before would still be admitted. */
  async isStillInForce(id: string): Promise<boolean> {
    const key = await this.#keys.find(id);
    return key !== undefined && isInForce(key, this.#clockForExpiry);
  }

  // The form of the text need not be checked: the whole is compared later.
  #recall(text: string, at: number): Remembered | undefined {
    const remembered = this.#remembered.get(text.slice(...KEY_ID));
    return remembered !== undefined && remembered.until > at ? remembered : undefined;
  }

  /**
   * Requests with the same key share a look-up: when the cached record of a busy client expires,
   * hundreds of requests arrive before it is read again, and each look-up would wait for the
   * previous ones.
   */
  async #lookUp(text: string, at: number): Promise<Remembered | undefined> {
    const id = keyIdOf(text);
    if (id === undefined) return undefined;
    const shared = this.#underWay.get(id);
    if (shared !== undefined && at - shared.since < REMEMBERED_MS) {
      // A look-up that finds nothing may have begun before the key was added.
      return (await shared.found) ?? this.#find(id, at);
    }
    const found = this.#find(id, at);
    const lookUp = { since: at, found };
    this.#underWay.set(id, lookUp);
    try {
      return await found;
    } finally {
      if (this.#underWay.get(id) === lookUp) this.#underWay.delete(id);
    }
  }

  async #find(id: string, at: number): Promise<Remembered | undefined> {
    const key = await this.#keys.find(id);
    if (key === undefined && id === this.#dueId) throw new StoreUnavailable(NOT_ADDED);
    if (key === undefined) {
      this.#remembered.delete(id);
      return undefined;
    }
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
 * Compares a text with a key's, in constant time. The text is hashed once per look-up of the
 * record; after that, comparing two texts takes a third of the time.
 */
function isTextOf(remembered: Remembered, text: string): boolean {
  const { key, text: known } = remembered;
  const given = Buffer.from(text);
  if (known !== undefined) return given.length === known.length && timingSafeEqual(given, known);
  if (!timingSafeEqual(hashKeyText(text), key.hash)) return false;
  remembered.text = given;
  return true;
}
