import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { InvalidSigningKey, NoteSigner } from '../app/audit/checkpoint.ts';
import { CannotStart } from '../app/cannot-start.ts';

/**
 * The file of the key that a log signs its checkpoints with: the key's text on one line. Whoever
 * has the key can sign in the log's name, and without it nobody can go on doing so. So it is
 * readable by its owner only, on the disk before it signs anything, and never written again.
 */

/** Which key signs: the one in a store's own file, or in another that several may share. */
export interface SigningKeyPlace {
  /** The store's file; absent where it is in no file. */
  readonly databaseFile?: string | undefined;
  /** The file that the configuration names instead of the one beside the store. */
  readonly signingKeyFile: string | undefined;
}

/** The origin of a store's checkpoints, unless its key says otherwise. */
function originOf(storeId: string): string {
  return `store-orders/${storeId}`;
}

function fileOf({ databaseFile, signingKeyFile }: SigningKeyPlace): string | undefined {
  return signingKeyFile ?? (databaseFile && `${databaseFile}-signing-key`);
}

/**
 * The key that signs for a store. Where there is none, it is made. Throws {@link CannotStart} for a
 * file that holds no key, and for a key beside the store that is another store's: to sign under
 * another name takes a configuration that says so. There is no key where there is no file for it:
 * several machines would make as many keys.
 */
export function openSigningKey(place: SigningKeyPlace, storeId: string): NoteSigner | undefined {
  const file = fileOf(place);
  if (file === undefined) return undefined;
  const origin = originOf(storeId);
  const key = readKey(file) ?? makeKey(file, origin);
  if (place.signingKeyFile === undefined && key.name !== origin) {
    throw new CannotStart(
      `${file} is the key of ${key.name}, and this store is ${origin}. Nothing was changed. ` +
        'Put the key of this store there; to sign as another on purpose, set SIGNING_KEY_FILE',
    );
  }
  return key;
}

/** The public half of the key that signs for a store, if there is one. Nothing is made. */
export function readVerifierKey(place: SigningKeyPlace): string | undefined {
  const file = fileOf(place);
  return file === undefined ? undefined : readKey(file)?.verifierKey;
}

function readKey(file: string): NoteSigner | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CannotStart(`The signing key ${file} cannot be read: ${message}.`);
  }
  try {
    return NoteSigner.parse(text.replace(/\r?\n$/, ''));
  } catch (error) {
    if (!(error instanceof InvalidSigningKey)) throw error;
    throw new CannotStart(
      `${file} is no signing key: ${error.message}. Nothing was changed. Bring back a copy of it; ` +
        'or move it away, and a new one is made, which auditors have to be told of',
    );
  }
}

// Under another name first, so that the file is whole as soon as it is there; and by a link, which
// unlike renaming leaves a file that somebody else has made meanwhile as it is.
function makeKey(file: string, origin: string): NoteSigner {
  const unfinished = `${file}-new-${randomUUID()}`;
  const key = NoteSigner.generate(origin);
  try {
    writeFileSync(unfinished, `${key.privateKey()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(unfinished, file);
    syncFolder(dirname(file));
    return key;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const other = code === 'EEXIST' ? readKey(file) : undefined;
    if (other !== undefined) return other;
    throw new CannotStart(`The signing key ${file} cannot be made: ${message}.`);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
