import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedAt } from './authentication.ts';

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
