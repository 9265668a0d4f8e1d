/** The folders of the service's own files, made where they are missing. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Access for the owner only: the files contain customers' orders and the hashes of keys. */
const MODE = 0o700;

/**
 * Makes a folder, and those above it, unless they exist. Throws the true reason if that is impossible:
 * of a read-only file system, a recursive `mkdir` of Node 24 says ENOENT, and a plain one EROFS.
 */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') mkdirSync(topmostMissing(folder), MODE);
    throw error;
  }
}

function topmostMissing(folder: string): string {
  const path = resolve(folder);
  return existsSync(dirname(path)) ? path : topmostMissing(dirname(path));
}
