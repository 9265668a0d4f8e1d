import { describe, expect, it } from 'vitest';
import { hashKeyText, keyIdOf } from '../../../../src/app/keys/api-key.ts';
import { acceptKey, keyRecord, makeFirstKey } from '../../../../src/app/keys/first-key.ts';
import { SCOPES } from '../../../../src/app/ports/key-store.ts';
import { MemoryKeyStore } from '../../../../src/infra/memory/key-store.ts';
import { LATER, NOON } from '../../../support/events.ts';
import { keyText } from '../../../support/key-text.ts';

const text = keyText('mine');

describe('the first key of a store', () => {
  it('is made where there is none, may do everything, and is stored as its hash only', async () => {
    const keys = new MemoryKeyStore();
    const made = (await makeFirstKey(keys, NOON)) as string;
    expect(await keys.list()).toStrictEqual([
      {
        id: keyIdOf(made),
        hash: hashKeyText(made),
        name: 'first',
        scopes: SCOPES,
        createdAt: NOON,
      },
    ]);
    expect(JSON.stringify(await keys.list())).not.toContain(made.slice(15));
  });

  it('is not made where there is one, revoked or not', async () => {
    const keys = new MemoryKeyStore();
    await acceptKey(keys, text, NOON);
    await keys.revoke(keyIdOf(text) as string, NOON);
    expect(await makeFirstKey(keys, LATER)).toBeUndefined();
    expect(await keys.list()).toHaveLength(1);
  });
});

/** Many keys, which are not held in memory at once. */
class ManyKeys extends MemoryKeyStore {
  override list(): never {
    throw new Error('too many');
  }
}

it('A start needs no list of all keys', async () => {
  const keys = new ManyKeys();
  await acceptKey(keys, text, NOON);
  expect(await makeFirstKey(keys, NOON)).toBeUndefined();
  expect(await keys.count()).toBe(1);
});

describe('a key that was made elsewhere', () => {
  it('is accepted with every scope', async () => {
    const keys = new MemoryKeyStore();
    await acceptKey(keys, text, NOON);
    expect(await keys.find(keyIdOf(text) as string)).toStrictEqual(
      keyRecord(text, { name: 'initial', scopes: SCOPES, createdAt: NOON }),
    );
  });

  it('stays as it is when it is given again at the next start, revoked ones too', async () => {
    const keys = new MemoryKeyStore();
    await acceptKey(keys, text, NOON);
    await keys.revoke(keyIdOf(text) as string, NOON);
    await acceptKey(keys, text, LATER);
    expect(await keys.list()).toMatchObject([{ createdAt: NOON, revokedAt: NOON }]);
  });

  it('must be well-formed', () => {
    const record = () => keyRecord(`${text}0`, { name: 'x', scopes: [], createdAt: NOON });
    expect(record).toThrow('not a well-formed key');
  });
});
