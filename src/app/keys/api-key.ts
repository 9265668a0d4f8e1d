/** The text of an API key, and the key's condition. */

import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { millisecondsOf } from '../../domain/instant.ts';
import { sha256 } from '../log/merkle-tree.ts';
import type { ApiKey } from '../ports/key-store.ts';

/**
 * A key's text is `sto_ID_SECRETCHECK`: a prefix that people and secret scanners recognise, the
 * public id (10 characters), 256 random bits (43 characters of base 62) and the CRC-32 of all
 * before it (6 characters), which tells a mistyped key from a wrong one without a look-up.
 */
const FORMAT = /^sto_([0-9A-Za-z]{10})_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;
/** The range of the id in a key's text. */
export const KEY_ID = [4, 14] as const;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Makes the text of a new key. It is shown once and stored nowhere. */
export function mintKeyText(): string {
  const body = `sto_${randomDigits(10)}_${randomDigits(43)}`;
  return body + checksum(body);
}

/** Returns the public id in a key's text; `undefined` if the text is not a well-formed key. */
export function keyIdOf(text: string): string | undefined {
  const [, id, check] = FORMAT.exec(text) ?? [];
  return check === checksum(text.slice(0, -6)) ? id : undefined;
}

/** Returns the SHA-256 of a key's text: with 256 random bits in it, a slow hash adds nothing. */
export function hashKeyText(text: string): Buffer {
  return sha256(text);
}

/** Returns true if a key has expired at a time, in milliseconds since 1970. */
export function hasExpired({ expiresAt }: ApiKey, at: number): boolean {
  return expiresAt !== undefined && millisecondsOf(expiresAt) <= at;
}

/**
 * Returns true if a key is neither revoked nor expired. A revocation holds at any time. Most keys
 * never expire, and then the clock is not read.
 */
export function isInForce(key: ApiKey, clock: () => number): boolean {
  if (key.revokedAt !== undefined) return false;
  return key.expiresAt === undefined || !hasExpired(key, clock());
}

// 43 digits drawn evenly from 62 hold 256.03 bits.
function randomDigits(count: number): string {
  let digits = '';
  for (let i = 0; i < count; i++) digits += DIGITS[randomInt(DIGITS.length)];
  return digits;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = DIGITS[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Returns a key for people to see: its id is public. A text that is no key has none. */
export function shownKey(text: string): string {
  const id = keyIdOf(text);
  return id === undefined ? '…' : `sto_${id}_…`;
}
