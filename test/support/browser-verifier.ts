/** The verifier as the console loads it, with the cryptography of browsers. It runs in Node too. */
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Verifier } from './forgeries.ts';

const FOLDER = 'vendor/console';

/** Returns the name of the file, which has a hash of its content in it. */
export function browserVerifierName(): string {
  const found = readdirSync(FOLDER).find((name) => /^verifier-[\w-]+\.js$/.test(name));
  if (found === undefined) throw new Error('npm run vendor writes the verifier');
  return found;
}

export async function browserVerifier(): Promise<Verifier> {
  return import(pathToFileURL(resolve(FOLDER, browserVerifierName())).href);
}
