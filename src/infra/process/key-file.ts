/**
 * Files of private keys: the key's text on one line. Such a file is readable by its owner only, durable
 * before the first signature, and never overwritten.
 */

import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { InvalidSigningKey, type SigningKey } from '../../app/audit/proving/signing-key.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { readPlainText } from './small-file.ts';
import { giveToStoreOwner } from './store-owner.ts';
import { syncFolder } from './sync-folder.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A kind of keys, and what its user can do about a file that has none of it. */
export interface KeyFileKind<Key extends SigningKey> {
  /** Throws {@link InvalidSigningKey} for a text that is no such key. */
  readonly parse: (text: string) => Key;
  readonly wayOut: string;
}

/**
 * Returns the key in a file; `undefined` if there is no file. Throws {@link UserError} if it has no
 * key in it.
 */
export function readKeyFile<Key extends SigningKey>(
  file: string,
  { parse, wayOut }: KeyFileKind<Key>,
): Key | undefined {
  let text: string;
  try {
    text = readPlainText(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new UserError(`The signing key ${file} cannot be read: ${message}.`);
  }
  try {
    return parse(text.replace(/\n$/, ''));
  } catch (error) {
    if (!(error instanceof InvalidSigningKey)) throw error;
    const text = `${file} is no signing key: ${error.message}. ${wayOut}`;
    throw new UserError(text, { cause: error });
  }
}

/**
 * Writes a new key to a file, and returns it; or the key that another process has written meanwhile.
 * Throws {@link UserError} if that fails.
 * @param written Called with the name of the complete file, before it gets its own.
 */
export function makeKeyFile<Key extends SigningKey>(
  file: string,
  key: Key,
  kind: KeyFileKind<Key>,
  written: (unfinished: string) => void = giveToStoreOwner,
): Key {
  // Writes to a temporary name first, so that the file is complete from the start. Linking, unlike
  // renaming, does not replace a file that another process has created meanwhile.
  const unfinished = `${file}-new-${randomUUID()}`;
  try {
    writeFileSync(unfinished, `${key.privateKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    written(unfinished);
    linkSync(unfinished, file);
    syncFolder(dirname(file));
    removeUnfinished(file);
    return key;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // ENOENT: the other process has removed this one's file, too.
    const isOther = code === 'EEXIST' || code === 'ENOENT';
    const other = isOther ? readKeyFile(file, kind) : undefined;
    if (other !== undefined) return other;
    throw new UserError(`The signing key ${file} cannot be made: ${message}.`, { cause: error });
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Removes the files that {@link makeKeyFile} leaves if its process is killed: each has the private key
 * that is in the file, or one that was never used. Must be called only where the file has a key, which a
 * process that is about to make one then takes. Fails silently, as in a folder that cannot be written.
 */
export function removeUnfinished(file: string): void {
  const [folder, begin] = [dirname(file), `${basename(file)}-new-`];
  try {
    for (const name of readdirSync(folder)) {
      if (name.startsWith(begin) && UUID.test(name.slice(begin.length))) rmSync(join(folder, name));
    }
  } catch {
    // The next start tries again.
  }
}
