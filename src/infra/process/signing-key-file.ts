/**
 * The file of the key that a log signs its checkpoints with: the key's text on one line. Whoever
 * has the key can sign in the log's name, and without it nobody can go on doing so. So it is
 * readable by its owner only, on the disk before it signs anything, and never written again. The
 * store has a record of the keys that it has signed with, so that none goes or comes unnoticed.
 */

import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InvalidSigningKey, NoteSigner } from '../../app/audit/checkpoint.ts';
import { now } from '../../app/clock.ts';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import type { Store } from '../../app/ports/store.ts';
import { syncFolder } from './sync-folder.ts';

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

/** The part of a store that signing takes. */
export type SigningStore = Pick<Store, 'id' | 'signingKeys'>;

/**
 * The key that signs for a store. A store that has never had one gets one; afterwards it signs with
 * that and no other. Throws {@link CannotStart} where its key is missing or another, for a file
 * that holds no key, and for a key beside the store that is another store's: to sign under another
 * name takes a configuration that says so. There is no key where there is no file for it: several
 * machines would make as many keys.
 */
export async function openSigningKey(
  place: SigningKeyPlace,
  store: SigningStore,
): Promise<NoteSigner | undefined> {
  const file = fileOf(place);
  if (file === undefined) return undefined;
  const known = await store.signingKeys.list();
  const last = known.at(-1);
  const there = readKey(file);
  if (there === undefined && last !== undefined) throw new CannotStart(missing(file));
  const key = there ?? makeKey(file, originOf(store.id));
  refuseOtherStore(place, key, file, store);
  if (last?.verifierKey === key.verifierKey) return key;
  // A store from before keys were noted has one of which only the file is known.
  if (last !== undefined && last.verifierKey !== '') throw new CannotStart(replaced(file));
  const isNoted = await note(store, key, known.length);
  // Another process has noted one meanwhile: that is the one to hold this against.
  return isNoted ? key : openSigningKey(place, store);
}

/** The key with which a store signs from now on. */
interface NewSigningKey {
  readonly file: string;
  readonly verifierKey: string;
  /** False where it was in the file already. */
  readonly isMade: boolean;
  /** The public half of the key that has signed so far, where it is known. */
  readonly before: string | undefined;
}

/**
 * Lets a store sign with another key from now on: the one in its file, or where there is no file
 * one that is made. Throws {@link CannotStart} where the file has the key that signs already: no
 * key is ever overwritten.
 */
export async function renewSigningKey(
  place: SigningKeyPlace,
  store: SigningStore,
): Promise<NewSigningKey> {
  const file = fileOf(place);
  if (file === undefined) {
    throw new CannotStart('No file for the signing key is configured: set SIGNING_KEY_FILE.');
  }
  const known = await store.signingKeys.list();
  const before = known.at(-1)?.verifierKey || undefined;
  const there = readKey(file);
  if (there !== undefined && there.verifierKey === before) {
    throw new CannotStart(
      `${file} has the key that signs for this store. Nothing was changed. To sign with a new one, ` +
        'move that file away first, and keep it.',
    );
  }
  const key = there ?? makeKey(file, originOf(store.id));
  refuseOtherStore(place, key, file, store);
  if (!(await note(store, key, known.length))) {
    throw new CannotStart('Another process has changed the key meanwhile. Run the command again.');
  }
  return { file, verifierKey: key.verifierKey, isMade: there === undefined, before };
}

function note({ signingKeys }: SigningStore, { verifierKey }: NoteSigner, known: number) {
  return signingKeys.add({ verifierKey, since: now() }, known);
}

function missing(file: string): string {
  return (
    `${file} is missing, and this store has signed with the key in it. Nothing was changed. Restore ` +
    'a copy of the file; or, if it is lost, create a new key and inform auditors: ' +
    'store-orders audit new-key'
  );
}

function replaced(file: string): string {
  return (
    `${file} has another key than the one that signs for this store. Nothing was changed. Restore ` +
    'the key of this store; or sign with the other one from now on and inform auditors: ' +
    'store-orders audit new-key'
  );
}

function refuseOtherStore(
  { signingKeyFile }: SigningKeyPlace,
  { name }: NoteSigner,
  file: string,
  { id }: SigningStore,
): void {
  const origin = originOf(id);
  if (signingKeyFile !== undefined || name === origin) return;
  throw new CannotStart(
    `${file} is the key of ${name}, and this store is ${origin}. Nothing was changed. ` +
      'Put the key of this store there; to sign as another on purpose, set SIGNING_KEY_FILE',
  );
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
      `${file} is no signing key: ${error.message}. Nothing was changed. Restore a copy of it; ` +
        'or move it away, create a new key and inform auditors: ' +
        'store-orders audit new-key',
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
    throw new CannotStart(`The signing key ${file} cannot be made: ${message}.`, { cause: error });
  } finally {
    rmSync(unfinished, { force: true });
  }
}
