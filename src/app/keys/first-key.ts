/** The making of key records, and of the first key of a new store. */

import type { Instant } from '../../domain/instant.ts';
import { type ApiKey, type KeyStore, SCOPES } from '../ports/key-store.ts';
import { hashKeyText, keyIdOf, mintKeyText } from './api-key.ts';

/** Makes the record under which a key with this text is stored. The text must be well-formed. */
export function keyRecord(text: string, given: Omit<ApiKey, 'id' | 'hash'>): ApiKey {
  const id = keyIdOf(text);
  if (id === undefined) throw new Error('not a well-formed key');
  return { ...given, id, hash: hashKeyText(text) };
}

/** Accepts a key that was made elsewhere, with every scope. One that is known stays as it is. */
export async function acceptKey(keys: KeyStore, text: string, createdAt: Instant): Promise<void> {
  await keys.add(keyRecord(text, { name: 'initial', scopes: SCOPES, createdAt }));
}

/**
 * Makes a key with every scope where there is none at all, so that a new store can be used.
 * Returns its text, to be shown once, or `undefined` where there are keys already.
 */
export async function makeFirstKey(
  keys: KeyStore,
  createdAt: Instant,
): Promise<string | undefined> {
  if ((await keys.list()).length > 0) return undefined;
  const text = mintKeyText();
  await keys.add(keyRecord(text, { name: 'first', scopes: SCOPES, createdAt }));
  return text;
}
