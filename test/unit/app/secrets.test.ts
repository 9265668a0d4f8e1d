import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import {
  guardSecret,
  holdsKey,
  shownSetting,
  withoutLongRuns,
  withoutSecrets,
} from '../../../src/app/secrets.ts';
import { keyText } from '../../support/key-text.ts';

describe('a text that is going to be shown', () => {
  const minted = fc.constant(null).map(() => mintKeyText());
  const written = fc.constantFrom<(key: string) => string>(
    (key) => key,
    (key) => key.toUpperCase(),
    (key) => key.toLowerCase(),
    (key) => key.replaceAll('_', '%5F'),
    (key) => key.replaceAll('_', '%5f'),
    (key) => key.replaceAll('_', '%25255f'),
  );

  it('has no key in it any more, wherever it stood', () => {
    fc.assert(
      fc.property(fc.string(), minted, written, fc.string(), (before, key, write, after) => {
        const clean = withoutSecrets(`${before} ${write(key)} ${after}`);
        expect(clean).not.toContain(write(key).slice(15, 40));
        expect(clean).toContain('sto_…');
      }),
    );
  });

  it('loses every one of several keys, and those that were cut short', () => {
    const key = keyText('a');
    expect(withoutSecrets(`${key},${key.slice(0, 30)}; "${key}"`)).toBe('sto_…,sto_…; "sto_…"');
  });

  test.each([
    ['connect to postgres://me:p@ss/w:rd@db/orders', 'connect to postgres://me:…@db/orders'],
    ['{"url":"postgres://me:secret@db/a","b":1}', '{"url":"postgres://me:…@db/a","b":1}'],
    ['postgres://db/a?user=me&password=secret&x=1', 'postgres://db/a?user=me&password=…&x=1'],
    ['host=db password=secret user=me', 'host=db password=… user=me'],
    ['postgres://db/a?sslpassword=secret&x=1', 'postgres://db/a?sslpassword=…&x=1'],
    ['PRIVATE+KEY+store-orders/1+ab+AbCd= is', 'PRIVATE+KEY+… is'],
  ])('loses what is said to be secret: %s', (text, clean) => {
    expect(withoutSecrets(text)).toBe(clean);
  });

  it('is read once, however many addresses may begin in it', () => {
    // Searched again from each beginning, this takes minutes.
    for (const begin of ['://x:', '://', '://x:y@']) {
      const clean = withoutSecrets(begin.repeat(200_000));
      expect(clean).toBe(begin.endsWith('@') ? '://x:…@' : begin.repeat(200_000));
    }
  });

  it('stays as it is without a secret', () => {
    for (const text of ['GET /v1/store/orders', 'http://127.0.0.1:3000', 'a'.repeat(50)]) {
      expect(withoutSecrets(text)).toBe(text);
    }
  });

  it('loses what was guarded, as it is and as it is encoded', () => {
    guardSecret('correct "horse"/7');
    expect(withoutSecrets('is correct "horse"/7!')).toBe('is …!');
    expect(withoutSecrets('is correct%20%22horse%22%2F7!')).toBe('is …!');
    expect(withoutSecrets(JSON.stringify({ a: 'correct "horse"/7' }))).toBe('{"a":"…"}');
  });

  it('loses all of a secret that begins or ends with another one', () => {
    for (const secret of [
      'staple-battery',
      'staple-battery-2',
      '1-staple-battery',
      'staple-batt',
    ]) {
      guardSecret(secret);
    }
    const text = 'staple-battery-2, 1-staple-battery, staple-battery, staple-batt';
    expect(withoutSecrets(text)).toBe('…, …, …, …');
  });

  it('keeps what is too short, or too common, to tell from other words', () => {
    guardSecret('orders');
    guardSecret('password');
    const text = 'password authentication failed for orders';
    expect(withoutSecrets(text)).toBe(text);
  });

  it('loses all long runs where strangers may have written it', () => {
    const key = mintKeyText();
    for (const run of [
      key.slice(15),
      encodeURIComponent(encodeURIComponent(key)),
      'a'.repeat(40),
    ]) {
      expect(withoutLongRuns(`is ${run}`)).toMatch(/^is (?:sto_)?…$/);
    }
    expect(withoutLongRuns(`is ${'a'.repeat(39)}`)).toBe(`is ${'a'.repeat(39)}`);
  });
});

test.each([
  ['http://me:two words@h/', 'http://me:…@h/'],
  ['postgres://me@db/a?password=two words&x=1', 'postgres://me@db/a?password=…&x=1'],
  ['http://127.0.0.1:3000/a b', 'http://127.0.0.1:3000/a b'],
])(
  'a setting that is one address has no password in it, with spaces in it or not: %s',
  (value, shown) => {
    expect(shownSetting(value)).toBe(shown);
  },
);

describe('a name that somebody has chosen', () => {
  it('is known to hold a key, whatever its case and encoding', () => {
    const key = mintKeyText();
    for (const text of [key, `a${key}b`, key.toLowerCase(), key.replaceAll('_', '%255f')]) {
      expect(holdsKey(text)).toBe(true);
    }
  });

  it('holds none for a few letters that a key begins with', () => {
    for (const text of ['presto_42', 'sto_order_7', `sto_${'a'.repeat(64)}`, 'f'.repeat(64)]) {
      expect(holdsKey(text)).toBe(false);
    }
  });
});
