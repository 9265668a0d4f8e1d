/** Creates key records, and the first key of a new store. */

import type { Instant } from '../../domain/instant.ts';
import { type ApiKey, type KeyStore, SCOPES } from '../ports/key-store.ts';
import { hashKeyText, keyIdOf, mintKeyText } from './api-key.ts';

/** Returns the record of a key with this text, which must be well-formed. */
export function keyRecord(text: string, given: Omit<ApiKey, 'id' | 'hash'>): ApiKey {
  const id = keyIdOf(text);
  if (id === undefined) throw new Error('not a well-formed key');
  return { ...given, id, hash: hashKeyText(text) };
}

/**
 * Adds a given key with every scope. An existing one is left unchanged. Throws {@link DamagedStore}, and
 * adds nothing, if any key is damaged.
 */
export async function acceptKey(keys: KeyStore, text: string, createdAt: Instant): Promise<void> {
  // The first check of a large store is not over yet. Its keys are read here.
  await keys.count();
  await keys.add(keyRecord(text, { name: 'initial', scopes: SCOPES, createdAt }));
}

/**
 * Creates a key with every scope if there are no keys, so that a new store can be used. Returns its
 * text, to be shown once; `undefined` if there are keys.
 */
export async function makeFirstKey(
  keys: KeyStore,
  createdAt: Instant,
): Promise<string | undefined> {
  if ((await keys.count()) > 0) return undefined;
  const text = mintKeyText();
  await keys.add(keyRecord(text, { name: 'first', scopes: SCOPES, createdAt }));
  return text;
}
