import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptsOf, changedAt, respelledKeys, similarKeys } from './attempts.ts';

test('a script changes the key that it is run with, whatever key it was found with', () => {
  // Of few characters, so that many keys have the one that is put in already.
  const keys = fc.stringMatching(/^sto_[AB]{40}$/);
  const property = fc.property(keys, keys, fc.nat({ max: 43 }), (found, key, at) => {
    const { shell } = changedAt(found, at).asked.authorization ?? {};
    const env = { ...process.env, KEY: key };
    const printed = execFileSync('sh', ['-c', `printf %s "${shell}"`], { env, encoding: 'utf8' });
    expect(printed).toBe(changedAt(key, at).asked.authorization?.value);
    expect(printed).not.toBe(`Bearer ${key}`);
  });
  fc.assert(property);
});

test('a script respells the key as the check does, and never as the key itself', () => {
  const keys = fc.stringMatching(/^[a-zA-Z0-9_.~+-]{1,44}$/);
  const property = fc.property(keys, (key) => {
    const spellings = respelledKeys(key, 'REVOKED_KEY').map(({ asked: { authorization } }) => {
      const env = { ...process.env, REVOKED_KEY: key };
      const script = `printf %s "${authorization?.shell}"`;
      const printed = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
      expect(printed).toBe(authorization?.value);
      return printed;
    });
    expect(new Set([...spellings, `Bearer ${key}`]).size).toBe(spellings.length + 1);
  });
  fc.assert(property, { numRuns: 20 });
});

test('a key is tried in other cases, unless it is a hexadecimal number', () => {
  const triedOf = (key: string) => respelledKeys(key, 'KEY').map(({ what }) => what);
  const always = ['the key with its first character percent-encoded', 'the key and a "="'];
  const other = 'the key in the other case';
  expect(triedOf('sto_Ab')).toEqual([
    ...[other, 'the key in small letters', 'the key in capital letters'],
    ...always,
  ]);
  expect(triedOf('sto_ab')).toEqual([other, ...always]);
  expect(triedOf('12_34')).toEqual(always);
  expect(triedOf('c0ffee00-cafe-4bad-9bad-c0ffee00cafe')).toEqual(always);
});

test('no attempt is made with the key itself, however short it is', () => {
  const property = fc.property(fc.stringMatching(/^[\w.~+-]{1,3}$/), fc.nat(), (key, seed) => {
    const drawn = fc.sample(similarKeys(key), { seed, numRuns: 20 });
    for (const { what, asked } of [...attemptsOf(key), ...drawn]) {
      expect(asked.authorization?.value, what).not.toBe(`Bearer ${key}`);
    }
  });
  fc.assert(property, {
    examples: [
      ['k', 1],
      ['x', 1],
    ],
  });
});
