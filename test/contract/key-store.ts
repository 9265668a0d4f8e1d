import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyStore } from '../../src/app/ports/key-store.ts';
import { type ApiKey, type KeyLimits, SCOPES } from '../../src/app/ports/key-store.ts';
import type { Instant } from '../../src/domain/instant.ts';
import { instants, texts } from '../support/arbitraries.ts';
import { LATER, NOON } from '../support/events.ts';

/** Opens one more handle on the same keys, as another process would. */
export type OpenKeys = () => Promise<KeyStore>;

const key: ApiKey = {
  id: 'AbCdEfGh01',
  name: 'the warehouse',
  hash: randomBytes(32),
  scopes: ['orders:read', 'orders:cancel'],
  createdAt: NOON,
};

const LIMITS: KeyLimits = {
  rate: { requests: 600, seconds: 60, burst: 20 },
  concurrent: 10,
  streams: 5,
};

const count = fc.integer({ min: 1, max: 999_999 });
const someLimits: fc.Arbitrary<KeyLimits> = fc.record(
  {
    rate: fc.record(
      { requests: count, seconds: fc.constantFrom(1, 60, 3_600), burst: count },
      { noNullPrototype: true },
    ),
    concurrent: count,
    streams: count,
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** A key with limits, as a store returns it: without the member where there are none. */
function limited({ limits: _, ...rest }: ApiKey, limits: KeyLimits): ApiKey {
  return Object.keys(limits).length === 0 ? rest : { ...rest, limits };
}

const fewIds = fc.constantFrom('0000000000', 'AAAAAAAAAA', 'aaaaaaaaaa');
const keys: fc.Arbitrary<ApiKey> = fc
  .tuple(
    fc.record({
      id: fewIds,
      name: texts,
      hash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
      scopes: fc.subarray([...SCOPES]),
    }),
    fc.oneof(
      fc.constant({}),
      instants.map((expiresAt) => ({ expiresAt })),
    ),
  )
  .chain(([always, sometimes]) =>
    someLimits.map((limits) => limited({ ...always, ...sometimes, createdAt: NOON }, limits)),
  );

/**
 * The contract of every engine's store of API keys.
 * @param create Makes an empty store of keys. It vanishes with the test that made it.
 */
export function keyStoreContract(name: string, create: () => Promise<OpenKeys>): void {
  const open = async () => (await create())();

  describe(`the API keys in ${name}`, () => {
    it('are none at first', async () => {
      const store = await open();
      expect(await store.list()).toStrictEqual([]);
      expect(await store.find(key.id)).toBeUndefined();
      expect(await store.count()).toBe(0);
    });

    it('are counted, however many there are, and revoked ones with them', async () => {
      const store = await open();
      for (let n = 1; n <= 1_001; n++) await store.add({ ...key, id: `${n}`.padStart(10, '0') });
      await store.revoke('0000000001', NOON);
      expect(await store.count()).toBe(1_001);
    });

    it('are found by their id as they were added, from every handle', async () => {
      const openAnother = await create();
      const [one, other] = [await openAnother(), await openAnother()];
      expect(await one.add(key)).toBe(true);
      expect(await one.find(key.id)).toStrictEqual(key);
      expect(await other.find(key.id)).toStrictEqual(key);
    });

    it('tell an expiry, and the lack of one', async () => {
      const store = await open();
      const expiring = { ...key, id: '0000000000', expiresAt: LATER };
      await store.add(key);
      await store.add(expiring);
      expect(await store.find(expiring.id)).toStrictEqual(expiring);
      expect(await store.find(key.id)).not.toHaveProperty('expiresAt');
    });

    it('differ when their ids differ only in case', async () => {
      const store = await open();
      await store.add(key);
      expect(await store.find(key.id.toLowerCase())).toBeUndefined();
      expect(await store.add({ ...key, id: key.id.toLowerCase() })).toBe(true);
    });

    it('stay as they are when another with the same id is added', async () => {
      const store = await open();
      await store.add(key);
      expect(await store.add({ ...key, name: 'an impostor', hash: randomBytes(32) })).toBe(false);
      expect(await store.list()).toStrictEqual([key]);
    });

    it('are listed oldest first, and those of one moment as they were added', async () => {
      const store = await open();
      const [b, c] = [key, { ...key, id: '0000000000' }];
      const a = { ...key, id: 'zzzzzzzzzz', createdAt: '2025-12-31T23:59:59.999Z' as Instant };
      for (const each of [b, c, a]) await store.add(each);
      expect(await store.list()).toStrictEqual([a, b, c]);
    });

    it('are revoked once, for good, and stay for the trail', async () => {
      const store = await open();
      await store.add(key);
      expect(await store.revoke(key.id, NOON)).toBe(true);
      expect(await store.revoke(key.id, LATER)).toBe(false);
      expect(await store.find(key.id)).toStrictEqual({ ...key, revokedAt: NOON });
      expect(await store.list()).toStrictEqual([{ ...key, revokedAt: NOON }]);
      expect(await store.add(key)).toBe(false);
    });

    it('cannot be revoked if they do not exist', async () => {
      const store = await open();
      expect(await store.revoke(key.id, NOON)).toBe(false);
      expect(await store.list()).toStrictEqual([]);
    });

    it('have the limits that they were added with, or that they were given since', async () => {
      const openAnother = await create();
      const [one, other] = [await openAnother(), await openAnother()];
      await one.add({ ...key, limits: LIMITS });
      await one.add({ ...key, id: '0000000000' });
      expect(await other.find(key.id)).toStrictEqual({ ...key, limits: LIMITS });
      expect(await other.find('0000000000')).not.toHaveProperty('limits');
      expect(await one.limit(key.id, { streams: 1 })).toBe(true);
      expect(await one.limit('0000000000', LIMITS)).toBe(true);
      expect(await other.list()).toStrictEqual([
        { ...key, limits: { streams: 1 } },
        { ...key, id: '0000000000', limits: LIMITS },
      ]);
      expect(await other.limit(key.id, {})).toBe(true);
      expect(await one.find(key.id)).toStrictEqual(key);
    });

    it('are limited only where the limits are as expected, if any are', async () => {
      const openAnother = await create();
      const [one, other] = [await openAnother(), await openAnother()];
      await one.add(key);
      expect(await other.limit(key.id, { streams: 1 }, LIMITS)).toBe(false);
      expect(await one.limit(key.id, LIMITS, {})).toBe(true);
      expect(await other.limit(key.id, { streams: 1 }, {})).toBe(false);
      const { rate, ...rest } = LIMITS;
      expect(await other.limit(key.id, {}, { ...rest, ...(rate && { rate: { ...rate } }) })).toBe(
        true,
      );
      expect(await one.limit(key.id, { streams: 2 }, {})).toBe(true);
      expect(await one.find(key.id)).toStrictEqual({ ...key, limits: { streams: 2 } });
      expect(await one.limit('0000000000', {}, {})).toBe(false);
    });

    it('lose no change of their limits that others make at the same time', async () => {
      const openAnother = await create();
      const handles = [await openAnother(), await openAnother(), await openAnother()];
      await handles[0]?.add(key);
      const add = async (store: KeyStore): Promise<void> => {
        const { limits = {} } = (await store.find(key.id)) ?? {};
        const more = { ...limits, streams: (limits.streams ?? 0) + 1 };
        if (!(await store.limit(key.id, more, limits))) await add(store);
      };
      await Promise.all([...handles, ...handles].map(add));
      expect(await handles[1]?.find(key.id)).toMatchObject({ limits: { streams: 6 } });
    });

    it('keep their limits when they are revoked, and can be limited after that', async () => {
      const store = await open();
      await store.add({ ...key, limits: LIMITS });
      expect(await store.revoke(key.id, NOON)).toBe(true);
      expect(await store.find(key.id)).toStrictEqual({ ...key, limits: LIMITS, revokedAt: NOON });
      expect(await store.limit(key.id, {})).toBe(true);
      expect(await store.find(key.id)).toStrictEqual({ ...key, revokedAt: NOON });
    });

    it('cannot be limited if they do not exist', async () => {
      const store = await open();
      expect(await store.limit(key.id, LIMITS)).toBe(false);
      expect(await store.list()).toStrictEqual([]);
    });

    it('behave like a Map for any sequence of calls', async () => {
      const steps = fc.array(
        fc.oneof(
          keys,
          fc.record({ revoke: fewIds, at: instants }),
          fc.record({ find: fewIds }),
          fc.record({ limit: fewIds, limits: someLimits }),
        ),
        { maxLength: 15 },
      );
      await fc.assert(
        fc.asyncProperty(steps, async (todo) => {
          const store = await open();
          const map = new Map<string, ApiKey>();
          for (const step of todo) {
            if ('find' in step) {
              expect(await store.find(step.find)).toStrictEqual(map.get(step.find));
            } else if ('limit' in step) {
              const known = map.get(step.limit);
              expect(await store.limit(step.limit, step.limits)).toBe(known !== undefined);
              if (known !== undefined) map.set(step.limit, limited(known, step.limits));
            } else if ('revoke' in step) {
              const known = map.get(step.revoke);
              const revocable = known !== undefined && known.revokedAt === undefined;
              expect(await store.revoke(step.revoke, step.at)).toBe(revocable);
              if (revocable) map.set(step.revoke, { ...known, revokedAt: step.at });
            } else {
              expect(await store.add(step)).toBe(!map.has(step.id));
              if (!map.has(step.id)) map.set(step.id, step);
            }
          }
          expect(await store.list()).toStrictEqual([...map.values()]);
        }),
        { numRuns: 40 },
      );
    });
  });
}
