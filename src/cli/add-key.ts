import { existsSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { verifyKey } from '../app/audit/verifier.ts';
import { readSmallFile } from './small-file.ts';

/** For an option that can be given more than once: adds a public key, which may be in a file. */
export function addKey(given: string, keys: readonly string[]): readonly string[] {
  const text = existsSync(given) ? textOf(given) : given;
  const verdict = verifyKey(text);
  if (verdict.ok) return [...keys, text];
  throw new InvalidArgumentError(`It is no public key, nor a file with one: ${verdict.reason}.`);
}

function textOf(file: string): string {
  try {
    return readSmallFile(file).replace(/\r?\n$/, '');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}
