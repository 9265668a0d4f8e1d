/** The owner of the files beside a store. */

import { lchownSync, statSync } from 'node:fs';

/**
 * Gives a file that this process has just made beside a store to the owner of the store, if the process
 * is root's: a command that root runs must not lock the service, which has a user of its own, out of its
 * files. SQLite does the same with those that it makes (`robustFchown` in its source). Does nothing where
 * root may not, such as without CAP_CHOWN or on NFS: the process can use its file there all the same.
 * @param file Its name begins with that of the store, and goes on with a hyphen.
 */
export function giveToStoreOwner(file: string): void {
  if (process.geteuid?.() !== 0) return;
  const owner = ownerOfStore(file);
  if (owner === undefined || owner.uid === 0) return;
  try {
    lchownSync(file, owner.uid, owner.gid);
  } catch {
    // SQLite ignores it, too.
  }
}

/** Returns the owner of the file whose name is the longest one before a hyphen; undefined if there is none. */
function ownerOfStore(file: string): { readonly uid: number; readonly gid: number } | undefined {
  const end = file.lastIndexOf('-');
  if (end <= file.lastIndexOf('/') + 1) return undefined;
  const store = file.slice(0, end);
  const found = statSync(store, { throwIfNoEntry: false });
  // Not a folder, such as that of a database server: data/postgres beside data/postgres-…-head.
  return found?.isFile() ? found : ownerOfStore(store);
}
