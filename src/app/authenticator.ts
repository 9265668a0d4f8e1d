import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, hashKeyText, isInForce, KEY_ID, keyIdOf } from './api-key.ts';
import type { KeyStore } from './ports/key-store.ts';

/** How long a key's record may be remembered, in milliseconds: a revocation works within it. */
const REMEMBERED_FOR = 500;
/** How many keys are remembered at most; beyond it, the memory starts anew. */
const REMEMBERED_KEYS = 10_000;

/** A key's record, and what tells its text from others. */
interface Remembered {
  readonly key: ApiKey;
  readonly until: number;
  /** The text that has the key's hash, once somebody has sent it. */
  text: Buffer | undefined;
}

/** Tells who is asking. */
export class Authenticator {
  readonly #keys: KeyStore;
  readonly #now: () => number;
  readonly #remembered = new Map<string, Remembered>();

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
    const remembered = this.#recall(text, now);
    if (remembered !== undefined) return admitted(remembered, text, now);
    return this.#lookUp(text, now).then((found) => found && admitted(found, text, now));
  }

  // Whether the text is well-formed need not be asked again: it will be compared as a whole.
  #recall(text: string, now: number): Remembered | undefined {
    const remembered = this.#remembered.get(text.slice(...KEY_ID));
    return remembered !== undefined && remembered.until > now ? remembered : undefined;
  }

  async #lookUp(text: string, now: number): Promise<Remembered | undefined> {
    const id = keyIdOf(text);
    const key = id === undefined ? undefined : await this.#keys.find(id);
    if (key === undefined) return undefined;
    if (this.#remembered.size >= REMEMBERED_KEYS) this.#remembered.clear();
    const remembered = { key, until: now + REMEMBERED_FOR, text: undefined };
    this.#remembered.set(key.id, remembered);
    return remembered;
  }
}

function admitted(remembered: Remembered, text: string, now: number): ApiKey | undefined {
  if (!isTextOf(remembered, text)) return undefined;
  return isInForce(remembered.key, now) ? remembered.key : undefined;
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
