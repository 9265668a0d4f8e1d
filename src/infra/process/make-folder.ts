/** The folders of the service's own files, made where they are missing. */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Access for the owner only: the files contain customers' orders and the hashes of keys. */
const MODE = 0o700;

/**
 * Makes a folder, and those above it, unless they exist. Throws the true reason if that is impossible. A
 * recursive `mkdir` of Node 24 says ENOENT of a read-only file system, which is EROFS, and never ends where a
 * folder cannot be made in one that exists, such as `/proc`.
 */
export function makeFolder(folder: string): void {
  const path = resolve(folder);
  const above = dirname(path);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path, MODE);
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    if (!isThere || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
