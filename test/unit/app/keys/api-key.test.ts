import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasExpired,
  hashKeyText,
  isInForce,
  keyIdOf,
  mintKeyText,
  shownKey,
} from '../../../../src/app/keys/api-key.ts';
import type { ApiKey } from '../../../../src/app/ports/key-store.ts';
import { LATER, NOON } from '../../../support/events.ts';
import { keyText } from '../../../support/key-text.ts';

const minted = fc.constant(null).map(mintKeyText);

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A text that ends as a key does, with a checksum that is right for all that is before it. */
function withRightChecksum(body: string): string {
  let check = '';
  for (let rest = crc32(body), i = 0; i < 6; i++, rest = Math.floor(rest / 62)) {
    check = `${DIGITS[rest % 62]}${check}`;
  }
  return body + check;
}

describe('the text of an API key', () => {
  it('has a prefix that is recognised, a public id, a secret and a checksum', () => {
    const text = mintKeyText();
    expect(text).toMatch(/^sto_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}$/);
    expect(keyIdOf(text)).toBe(text.slice(4, 14));
    expect(text).toBe(keyText(text.slice(4, 14), text.slice(15, 58)));
  });

  it('is shown by its id, and not at all if it is none', () => {
    const text = mintKeyText();
    expect(shownKey(text)).toBe(`sto_${text.slice(4, 14)}_…`);
    expect(shownKey(text.slice(0, -1))).toBe('…');
  });

  it('is never made twice', () => {
    const texts = Array.from({ length: 1_000 }, mintKeyText);
    expect(new Set(texts).size).toBe(1_000);
    expect(new Set(texts.map(keyIdOf)).size).toBe(1_000);
  });

  it('uses all 62 digits in every place of the secret', () => {
    const texts = Array.from({ length: 2_000 }, mintKeyText);
    for (let place = 15; place < 58; place++) {
      expect(new Set(texts.map((text) => text[place])).size).toBe(62);
    }
  });

  it('is not a key any more when one character is another', () => {
    const others = fc.oneof(
      fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_'),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(minted, fc.nat({ max: 63 }), others, (text, place, other) => {
        fc.pre(text[place] !== other);
        expect(keyIdOf(text.slice(0, place) + other + text.slice(place + 1))).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('has nothing before it, even if the checksum is right for that, too', () => {
    const body = keyText('a').slice(0, -6);
    expect(keyIdOf(withRightChecksum(body))).toBe('000000000a');
    expect(keyIdOf(withRightChecksum(`x${body}`))).toBeUndefined();
  });

  it('has nothing after it, even if the checksum is right for that, too', () => {
    // What follows the secret is a checksum of the secret and of the checksum's own first digit.
    const bodies = Array.from({ length: 100 }, (_, n) => keyText('a', `${n}`).slice(0, -6));
    const longer = bodies.flatMap((body) => [...DIGITS].map((digit) => body + digit));
    const texts = longer.map(withRightChecksum).filter((text) => text[58] === text[59]);
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) {
      const check = text.slice(59);
      expect(keyIdOf(`${text.slice(0, 58)}${check}x`)).toBeUndefined();
    }
  });

  it('is not a key any more when two neighbours of its id or secret have changed places', () => {
    fc.assert(
      fc.property(minted, fc.integer({ min: 4, max: 56 }), (text, place) => {
        const [one, other] = [text[place] as string, text[place + 1] as string];
        fc.pre(one !== other);
        const swapped = text.slice(0, place) + other + one + text.slice(place + 2);
        expect(keyIdOf(swapped)).toBeUndefined();
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['a word', 'secret'],
    ['a blank before it', ` ${keyText('a')}`],
    ['a line break after it', `${keyText('a')}\n`],
    ['a character too many', `${keyText('a')}0`],
    ['a character too few', keyText('a').slice(0, -1)],
    ['another prefix', keyText('a').replace('sto', 'STO')],
    ['two keys', keyText('a') + keyText('b')],
  ])('is not %s', (_, text) => {
    expect(keyIdOf(text)).toBeUndefined();
  });

  it('is stored as its SHA-256', () => {
    const text = mintKeyText();
    expect(hashKeyText(text)).toStrictEqual(createHash('sha256').update(text).digest());
  });
});

describe('an API key', () => {
  const key: ApiKey = {
    id: 'AbCdEfGh01',
    name: 'a',
    hash: Buffer.alloc(32),
    scopes: [],
    createdAt: NOON,
  };
  const laterMs = Date.parse(LATER);

  it('that never expires is in force without a look at the clock', () => {
    expect(hasExpired(key, Number.MAX_VALUE)).toBe(false);
    expect(isInForce(key, () => expect.unreachable())).toBe(true);
  });

  it('has expired from the time on at which it expires', () => {
    const expiring = { ...key, expiresAt: LATER };
    for (const [atMs, isOver] of [
      [laterMs - 1, false],
      [laterMs, true],
      [laterMs + 1, true],
    ] as const) {
      expect(hasExpired(expiring, atMs)).toBe(isOver);
      expect(isInForce(expiring, () => atMs)).toBe(!isOver);
    }
  });

  it('that was revoked is never in force again', () => {
    const revoked = { ...key, revokedAt: LATER };
    expect(isInForce(revoked, () => laterMs - 1)).toBe(false);
  });
});
