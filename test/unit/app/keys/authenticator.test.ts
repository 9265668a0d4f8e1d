import { describe, expect, it } from 'vitest';
import { hashKeyText } from '../../../../src/app/keys/api-key.ts';
import { Authenticator } from '../../../../src/app/keys/authenticator.ts';
import type { ApiKey } from '../../../../src/app/ports/key-store.ts';
import { DamagedStore, StoreUnavailable } from '../../../../src/app/ports/store.ts';
import { MemoryKeyStore } from '../../../../src/infra/memory/key-store.ts';
import { LATER, NOON } from '../../../support/events.ts';
import { keyText } from '../../../support/key-text.ts';
import { clockAt } from '../../../support/test-clock.ts';

/** Keys that count how often one is looked up. */
class CountingKeys extends MemoryKeyStore {
  lookups = 0;

  override find(id: string): Promise<ApiKey | undefined> {
    this.lookups += 1;
    return super.find(id);
  }
}

const DAY_MS = 86_400_000;
const YEAR_MS = 365.2425 * DAY_MS;
const STEPS: readonly [string, number][] = [
  ['back by a second', -1_000],
  ['back by an hour', -3_600_000],
  ['back to 1970', -56 * YEAR_MS],
  ['forward by a second', 1_000],
  ['forward to 9999', 7_973 * YEAR_MS],
];

const text = keyText('warehouse');
const id = text.slice(4, 14);
const key: ApiKey = {
  id,
  name: 'the warehouse',
  hash: hashKeyText(text),
  scopes: ['orders:read'],
  createdAt: NOON,
};

async function authenticatorWith(...known: readonly ApiKey[]) {
  const keys = new CountingKeys();
  for (const each of known) await keys.add(each);
  const clock = clockAt(NOON);
  return { keys, clock, authenticator: new Authenticator(keys, clock) };
}

describe('who is asking', () => {
  it('is found by the text of a known key', async () => {
    const { authenticator } = await authenticatorWith(key);
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
  });

  it("uses the machine's clock by default", async () => {
    const keys = new MemoryKeyStore();
    await keys.add({ ...key, expiresAt: '1970-01-01T00:00:00.000Z' as ApiKey['createdAt'] });
    expect(await new Authenticator(keys).authenticate(text)).toBeUndefined();
  });

  it('is not refused for good with a key that is still to be added', async () => {
    const keys = new MemoryKeyStore();
    const authenticator = new Authenticator(keys, clockAt(NOON), text);
    await expect(authenticator.authenticate(text)).rejects.toThrow(StoreUnavailable);
    expect(await authenticator.authenticate(keyText('another'))).toBeUndefined();
    await keys.add(key);
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
  });

  it('is known while the store is away where that is asked for, by the record that was read last', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    const find = keys.find.bind(keys);
    const fails = (error: Error) => {
      clock.pass(500);
      keys.find = () => Promise.reject(error);
    };
    const away = new StoreUnavailable(new Error('no database'));
    fails(away);
    await expect(authenticator.authenticateAnyway(text)).rejects.toBe(away);
    keys.find = find;
    expect(await authenticator.authenticateAnyway(text)).toStrictEqual(key);
    fails(away);
    expect(await authenticator.authenticateAnyway(text)).toStrictEqual(key);
    expect(await authenticator.authenticateAnyway(keyText('warehouse', 'guess'))).toBeUndefined();
    await expect(authenticator.authenticate(text)).rejects.toBe(away);
    for (const error of [new DamagedStore('the row of a key'), new Error('a mistake')]) {
      fails(error);
      await expect(authenticator.authenticateAnyway(text)).rejects.toBe(error);
    }
    // The record that was read last is that there is none.
    clock.pass(500);
    keys.find = async () => undefined;
    expect(await authenticator.authenticateAnyway(text)).toBeUndefined();
    fails(away);
    await expect(authenticator.authenticateAnyway(text)).rejects.toBe(away);
  });

  it('is unknown for a text that is not a key, without a look-up', async () => {
    const { authenticator, keys } = await authenticatorWith(key);
    for (const wrong of ['', id, text.slice(1), `${text.slice(0, -1)}!`]) {
      expect(await authenticator.authenticate(wrong)).toBeUndefined();
    }
    expect(keys.lookups).toBe(0);
  });

  it('is unknown for an unknown key, until it is added', async () => {
    const { authenticator, keys } = await authenticatorWith();
    expect(await authenticator.authenticate(text)).toBeUndefined();
    await keys.add(key);
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
  });

  it('is unknown for a well-formed key with the id of another', async () => {
    const { authenticator } = await authenticatorWith(key);
    const other = keyText('warehouse', 'guess');
    expect(other.slice(4, 14)).toBe(id);
    expect(await authenticator.authenticate(other)).toBeUndefined();
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
    expect(await authenticator.authenticate(other)).toBeUndefined();
  });

  it('is unknown for a text similar to that of a key sent before', async () => {
    const { authenticator } = await authenticatorWith(key);
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
    const likeIt = text.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 0x100));
    for (const wrong of [`${text}x`, `${text} `, text.slice(0, -1), text.slice(0, 14), likeIt]) {
      expect(await authenticator.authenticate(wrong)).toBeUndefined();
    }
    expect(await authenticator.authenticate(text)).toStrictEqual(key);
  });

  it('is looked up once for concurrent requests', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    for (const _ of 'ab') {
      const lookups = keys.lookups;
      const found = await Promise.all(Array.from('abc', () => authenticator.authenticate(text)));
      expect(found.map((each) => each?.id)).toStrictEqual([id, id, id]);
      expect(keys.lookups).toBe(lookups + 1);
      clock.pass(500);
    }
  });

  it('is unknown in a shared look-up with another text', async () => {
    const { authenticator } = await authenticatorWith(key);
    const other = keyText('warehouse', 'guess');
    const [known, guessed] = [authenticator.authenticate(text), authenticator.authenticate(other)];
    expect(await known).toMatchObject({ id });
    expect(await guessed).toBeUndefined();
  });

  it('is known if the key is added during the look-up of a request before', async () => {
    const { authenticator, keys } = await authenticatorWith();
    const before = authenticator.authenticate(text);
    const after = authenticator.authenticate(text);
    await keys.add(key);
    expect(await before).toBeUndefined();
    expect(await after).toMatchObject({ id });
  });

  it('is not found by a look-up that takes longer than a record is cached', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    const released = Promise.withResolvers<void>();
    const find = keys.find.bind(keys);
    keys.find = async (asked) => {
      const found = await find(asked);
      await released.promise;
      return found;
    };
    const before = authenticator.authenticate(text);
    clock.pass(499);
    const joined = authenticator.authenticate(text);
    await keys.revoke(id, NOON);
    clock.pass(1);
    const after = authenticator.authenticate(text);
    released.resolve();
    expect(await before).toMatchObject({ id });
    expect(await joined).toMatchObject({ id });
    expect(await after).toBeUndefined();
  });

  it('is found by a look-up under way, although an older one has ended meanwhile', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    const find = keys.find.bind(keys);
    const ends: (() => void)[] = [];
    keys.find = async (asked) => {
      const found = await find(asked);
      await new Promise<void>((end) => ends.push(end));
      return found;
    };
    const askers = [authenticator.authenticate(text)];
    clock.pass(500);
    askers.push(authenticator.authenticate(text));
    await expect.poll(() => ends.length).toBe(2);
    ends[0]?.();
    expect(await askers[0]).toMatchObject({ id });
    clock.pass(100);
    askers.push(authenticator.authenticate(text));
    ends[1]?.();
    expect(await Promise.all(askers)).toMatchObject([{ id }, { id }, { id }]);
    expect(keys.lookups).toBe(2);
  });

  it('fails with the store, and is found when that is back', async () => {
    const { authenticator, keys } = await authenticatorWith(key);
    const find = keys.find.bind(keys);
    keys.find = () => Promise.reject(new Error('away'));
    const both = Promise.allSettled([
      authenticator.authenticate(text),
      authenticator.authenticate(text),
    ]);
    expect((await both).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    keys.find = find;
    expect(await authenticator.authenticate(text)).toMatchObject({ id });
  });

  it('is unknown from the time at which the key expires', async () => {
    const { authenticator, clock } = await authenticatorWith({ ...key, expiresAt: LATER });
    clock.pass(Date.parse(LATER) - Date.parse(NOON) - 1);
    expect(await authenticator.authenticate(text)).toMatchObject({ id });
    // The record is remembered, and its expiry counts all the same.
    clock.pass(1);
    expect(await authenticator.authenticate(text)).toBeUndefined();
  });

  it('is unknown with a revoked key', async () => {
    const { authenticator } = await authenticatorWith({ ...key, revokedAt: NOON });
    expect(await authenticator.authenticate(text)).toBeUndefined();
  });

  it('is unknown half a second after the key was revoked, however many requests there were', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    expect(await authenticator.authenticate(text)).toMatchObject({ id });
    await keys.revoke(id, NOON);
    clock.pass(499);
    expect(await authenticator.authenticate(text)).toMatchObject({ id });
    clock.pass(1);
    expect(await authenticator.authenticate(text)).toBeUndefined();
  });

  it.each(STEPS)(
    'is nobody half a second after the key was revoked, the clock set %s',
    async (_, step) => {
      const { authenticator, keys, clock } = await authenticatorWith(key);
      expect(await authenticator.authenticate(text)).toMatchObject({ id });
      await keys.revoke(id, NOON);
      clock.step(step);
      clock.pass(500);
      expect(await authenticator.authenticate(text)).toBeUndefined();
      clock.step(-step);
      expect(await authenticator.authenticate(text)).toBeUndefined();
    },
  );

  it('stays unknown with an expired key, however far the clock is set back', async () => {
    const { authenticator, clock } = await authenticatorWith({ ...key, expiresAt: LATER });
    clock.pass(Date.parse(LATER) - Date.parse(NOON));
    expect(await authenticator.authenticate(text)).toBeUndefined();
    for (const back of [1, 1_000, DAY_MS, 60 * YEAR_MS]) {
      clock.step(-back);
      expect(await authenticator.authenticate(text)).toBeUndefined();
      expect(await authenticator.isStillInForce(id)).toBe(false);
    }
  });

  it('is unknown when the key expires, although the clock was set back before', async () => {
    const { authenticator, clock } = await authenticatorWith({ ...key, expiresAt: LATER });
    clock.step(-DAY_MS);
    clock.pass(Date.parse(LATER) - Date.parse(NOON) - 1);
    expect(await authenticator.authenticate(text)).toMatchObject({ id });
    clock.pass(1);
    expect(await authenticator.authenticate(text)).toBeUndefined();
  });

  it("is unknown while the clock is ahead of the key's expiry, and known when it is correct again", async () => {
    const { authenticator, clock } = await authenticatorWith({ ...key, expiresAt: LATER });
    for (const ahead of [DAY_MS, 100 * YEAR_MS, 7_973 * YEAR_MS, 200_000 * YEAR_MS]) {
      clock.step(ahead);
      expect(await authenticator.authenticate(text)).toBeUndefined();
      expect(await authenticator.isStillInForce(id)).toBe(false);
      clock.step(-ahead);
      expect(await authenticator.authenticate(text)).toMatchObject({ id });
      expect(await authenticator.isStillInForce(id)).toBe(true);
    }
  });

  it('stays valid until the key is revoked, expired or unknown', async () => {
    const { authenticator, keys } = await authenticatorWith(key);
    expect(await authenticator.isStillInForce(id)).toBe(true);
    expect(await authenticator.isStillInForce('0000000000')).toBe(false);
    await keys.revoke(id, NOON);
    expect(await authenticator.isStillInForce(id)).toBe(false);
  });

  it('is looked up once in half a second', async () => {
    const { authenticator, keys, clock } = await authenticatorWith(key);
    for (let time = 0; time < 1_500; time += 10) {
      await authenticator.authenticate(text);
      clock.pass(10);
    }
    expect(keys.lookups).toBe(3);
  });

  it('is looked up once, whatever other keys are sent meanwhile', async () => {
    const other = keyText('shop');
    const { authenticator, keys } = await authenticatorWith(key, {
      ...key,
      id: other.slice(4, 14),
      hash: hashKeyText(other),
    });
    for (const each of [text, other, text, other]) {
      expect(await authenticator.authenticate(each)).toBeDefined();
    }
    expect(keys.lookups).toBe(2);
  });

  it('is dropped from the cache after ten thousand others, which bounds memory', async () => {
    const others = Array.from({ length: 10_000 }, (_, number) => keyText(`${number}`));
    const records = others.map((other) => {
      return { ...key, id: other.slice(4, 14), hash: hashKeyText(other) };
    });
    const { authenticator, keys } = await authenticatorWith(key, ...records);
    await authenticator.authenticate(text);
    await authenticator.authenticate(text);
    expect(keys.lookups).toBe(1);
    for (const other of others) expect(await authenticator.authenticate(other)).toBeDefined();
    await authenticator.authenticate(text);
    expect(keys.lookups).toBe(10_002);
  });
});
