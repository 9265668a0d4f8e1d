import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, hashKeyText, isInForce, KEY_ID, keyIdOf } from './api-key.ts';
import { CLOCKS, type Clocks, clockForExpiry } from './clock.ts';
import type { KeyStore } from './ports/key-store.ts';

/** How long a key's record may be remembered: a revocation works within it. */
const REMEMBERED_MS = 500;
/** How many keys are remembered at most; beyond it, the memory starts anew. */
const MAX_REMEMBERED_KEYS = 10_000;

/** A key's record, and what tells its text from others. */
interface Remembered {
  readonly key: ApiKey;
  /** By the elapsed time: a wall clock that is set back would make it last. */
  readonly until: number;
  /** The text that has the key's hash, once somebody has sent it. */
  text: Buffer | undefined;
}

/** Tells who is asking. */
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
   * The key with this text, if it is well-formed, known, not revoked and not expired: at once where
   * the key is remembered, which nearly all are, because a promise costs more than all the rest.
   */
  authenticate(text: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    const at = this.#elapsed();
    const remembered = this.#recall(text, at);
    if (remembered !== undefined) return this.#admitted(remembered, text);
    return this.#lookUp(text, at).then((found) => found && this.#admitted(found, text));
  }

  /** Whether a key that was admitted before would be admitted now. */
  async isStillInForce(id: string): Promise<boolean> {
    const key = await this.#keys.find(id);
    return key !== undefined && isInForce(key, this.#clockForExpiry);
  }

  // Whether the text is well-formed need not be asked again: it will be compared as a whole.
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
 * Whether a text is a key's, in a time that does not tell how much of it is right. It is hashed once
 * for each time that the record is looked up: to compare two texts takes a third of the time.
 */
function isTextOf(remembered: Remembered, text: string): boolean {
  const { key, text: known } = remembered;
  const given = Buffer.from(text);
  if (known !== undefined) return given.length === known.length && timingSafeEqual(given, known);
  if (!timingSafeEqual(hashKeyText(text), key.hash)) return false;
  remembered.text = given;
  return true;
}
