/** The owner of the files beside a store. */

import { lchownSync, statSync } from 'node:fs';

/**
 * Gives a file that this process has just made beside a store to the owner of the store, if the process
 * is root's: a command that root runs must not lock the service, which has a user of its own, out of its
 * files. SQLite does the same with those that it makes (`robustFchown` in its source).
 * @param file Its name begins with that of the store, and goes on with a hyphen.
 */
export function giveToStoreOwner(file: string): void {
  if (process.geteuid?.() !== 0) return;
  const owner = ownerOfStore(file);
  if (owner !== undefined && owner.uid !== 0) lchownSync(file, owner.uid, owner.gid);
}

/** Returns the owner of the file whose name is the longest one before a hyphen; undefined if there is none. */
function ownerOfStore(file: string): { readonly uid: number; readonly gid: number } | undefined {
  const end = file.lastIndexOf('-');
  if (end <= file.lastIndexOf('/') + 1) return undefined;
  const store = file.slice(0, end);
  return statSync(store, { throwIfNoEntry: false }) ?? ownerOfStore(store);
}
