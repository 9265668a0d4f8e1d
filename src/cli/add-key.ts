import { existsSync, readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { verifyKey } from '../app/audit/verifier.ts';

/** For an option that can be given more than once: adds a public key, which may be in a file. */
export function addKey(given: string, keys: readonly string[]): readonly string[] {
  const text = existsSync(given) ? readFileSync(given, 'utf8').trim() : given;
  const verdict = verifyKey(text);
  if (verdict.ok) return [...keys, text];
  throw new InvalidArgumentError(`It is no public key, nor a file with one: ${verdict.reason}.`);
}
