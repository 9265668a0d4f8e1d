/**
 * The signing key of a store, in a file. Whoever has it can sign in the log's name; without it nobody can.
 * The store records the keys that it has signed with, so that a missing or exchanged key is
 * detected.
 */

import { NoteSigner } from '../../app/audit/proving/checkpoint.ts';
import { now } from '../../app/clock.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Store } from '../../app/ports/store.ts';
import { type KeyFileKind, makeKeyFile, readKeyFile, removeUnfinished } from './key-file.ts';

/**
 * The place of the signing key: beside the store's file, or in a file that several stores may
 * share.
 */
export interface SigningKeyPlace {
  /** The store's file; absent if it is in no file. */
  readonly databaseFile?: string | undefined;
  /** The file set in the configuration, instead of the one beside the store. */
  readonly signingKeyFile: string | undefined;
  /** The name of a key that is made; absent: one with the store's id. */
  readonly logOrigin?: string | undefined;
}

/** Returns the origin of a store's checkpoints, which is the name of its own key. */
function originOf({ logOrigin }: SigningKeyPlace, { id }: SigningStore, before = ''): string {
  // A new key continues under the name of the one before it.
  const [name] = before.split('+');
  return logOrigin ?? (name || `store-orders/${id}`);
}

function fileOf({ databaseFile, signingKeyFile }: SigningKeyPlace): string | undefined {
  return signingKeyFile ?? (databaseFile && `${databaseFile}-signing-key`);
}

/** The part of a store that signing needs. */
export type SigningStore = Pick<Store, 'id' | 'signingKeys'>;

/**
 * Returns the key that signs for a store. Creates one for a store that has never signed; from then
 * on the store signs with that key only. Returns `undefined` if there is no place for a file: each
 * machine would create a key of its own.
 *
 * Throws {@link UserError} if the key is missing or is another one, if the file has no key in it, if
 * LOG_ORIGIN is set to another name than the key has, or if the key beside the store belongs to
 * another store: signing under another name requires SIGNING_KEY_FILE or LOG_ORIGIN.
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
  if (there === undefined && last !== undefined) throw new UserError(missing(file));
  if (there !== undefined) removeUnfinished(file);
  const origin = originOf(place, store);
  const key = there ?? makeKey(file, origin);
  refuseOtherOrigin(place, key, file);
  // A name that was set once stays when the setting is gone.
  if (last?.verifierKey === key.verifierKey) return key;
  refuseOtherStore(place, key, file, origin);
  // A store older than this record has a key that is known by its file alone.
  if (last !== undefined && last.verifierKey !== '') {
    const isEarlier = known.some(({ verifierKey }) => verifierKey === key.verifierKey);
    throw new UserError(replaced(file, isEarlier));
  }
  const isNoted = await note(store, key, known.length);
  // Another process has recorded a key meanwhile, which this one is compared with now.
  return isNoted ? key : openSigningKey(place, store);
}

/** The key with which a store signs from now on. */
interface NewSigningKey {
  readonly file: string;
  readonly verifierKey: string;
  /** False if the file had the key already. */
  readonly isMade: boolean;
  /** The public half of the previous key; undefined if unknown. */
  readonly before: string | undefined;
}

/**
 * Changes the key with which a store signs: to the one in the file, or to a new one if there is no
 * file. Throws {@link UserError} if the file has the current key: no key is ever overwritten.
 */
export async function renewSigningKey(
  place: SigningKeyPlace,
  store: SigningStore,
): Promise<NewSigningKey> {
  const file = fileOf(place);
  if (file === undefined) {
    throw new UserError('No file for the signing key is configured: set SIGNING_KEY_FILE.');
  }
  const known = await store.signingKeys.list();
  const before = known.at(-1)?.verifierKey || undefined;
  const origin = originOf(place, store, before);
  const there = readKey(file);
  if (there !== undefined && there.verifierKey === before) {
    throw new UserError(
      `${file} has the key that signs for this store. To sign with a new one, ` +
        'move that file away first, and keep it.',
    );
  }
  const key = there ?? makeKey(file, origin);
  refuseOtherOrigin(place, key, file);
  refuseOtherStore(place, key, file, origin);
  if (!(await note(store, key, known.length))) {
    throw new UserError('Another process has changed the key meanwhile. Run the command again.');
  }
  return { file, verifierKey: key.verifierKey, isMade: there === undefined, before };
}

function note({ signingKeys }: SigningStore, { verifierKey }: NoteSigner, known: number) {
  return signingKeys.add({ verifierKey, since: now() }, known);
}

function missing(file: string): string {
  return (
    `${file} is missing, and this store has signed with the key in it. Restore ` +
    'a copy of the file; or, if it is lost, create a new key and inform auditors: ' +
    'store-orders audit new-key'
  );
}

function replaced(file: string, isEarlier: boolean): string {
  const other = `${file} has another key than the one that signs for this store`;
  // It may have been replaced because it was stolen.
  const earlier =
    ': an earlier one of it. Put a copy of the present one there; or, if that is lost, move this ' +
    'file away, create a new key and inform auditors: store-orders audit new-key';
  const strange =
    '. Restore the key of this store; or sign with the other one from now on and inform auditors: ' +
    'store-orders audit new-key';
  return other + (isEarlier ? earlier : strange);
}

function refuseOtherStore(
  { signingKeyFile }: SigningKeyPlace,
  { name }: NoteSigner,
  file: string,
  origin: string,
): void {
  if (signingKeyFile !== undefined || name === origin) return;
  throw new UserError(
    `${file} is the key of ${name}, and this store is ${origin}. ` +
      'Put the key of this store there; to sign as another on purpose, set SIGNING_KEY_FILE',
  );
}

function refuseOtherOrigin({ logOrigin }: SigningKeyPlace, { name }: NoteSigner, file: string) {
  if (logOrigin === undefined || name === logOrigin) return;
  throw new UserError(
    `LOG_ORIGIN is ${logOrigin}, and ${file} is the key of ${name}. A log keeps ` +
      'its name: unset LOG_ORIGIN. To continue under the new one, which makes it another log to ' +
      'whoever keeps checkpoints, move the file away and create a new key: store-orders audit new-key',
  );
}

/** Returns the public half of a store's signing key, if there is one. Creates nothing. */
export function readVerifierKey(place: SigningKeyPlace): string | undefined {
  return readSigner(place)?.verifierKey;
}

/** The key that signs for a store, if there is one. Nothing is made. */
export function readSigner(place: SigningKeyPlace): NoteSigner | undefined {
  const file = fileOf(place);
  return file === undefined ? undefined : readKey(file);
}

const KIND: KeyFileKind<NoteSigner> = {
  parse: NoteSigner.parse,
  wayOut:
    'Restore a copy of it; or move it away, create a new key and inform auditors: ' +
    'store-orders audit new-key',
};

function readKey(file: string): NoteSigner | undefined {
  return readKeyFile(file, KIND);
}

function makeKey(file: string, origin: string): NoteSigner {
  return makeKeyFile(file, NoteSigner.generate(origin), KIND);
}
