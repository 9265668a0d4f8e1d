import { randomBytes } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { keyIdOf } from '../../src/app/keys/api-key.ts';
import { acceptKey } from '../../src/app/keys/first-key.ts';
import type { Decide, EventLog, KeptOutcome } from '../../src/app/ports/event-log.ts';
import type { ApiKey, KeyStore } from '../../src/app/ports/key-store.ts';
import type { SigningKeys } from '../../src/app/ports/signing-keys.ts';
import { DamagedStore } from '../../src/app/ports/store.ts';
import type { OrderId } from '../../src/domain/order-id.ts';
import { LATER, NOON, newEvent, placed, TRACEPARENT } from '../support/events.ts';
import { keyText } from '../support/key-text.ts';
import { seed } from '../support/witnessed-log.ts';

/** A store whose tables somebody else can write to. */
export interface StoreWithRows {
  /** Opens its log. `damaged` is told what an append finds wrong. */
  openLog(damaged: (cause: Error) => void): Promise<EventLog>;
  openKeys(): Promise<KeyStore>;
  openSigningKeys(): Promise<SigningKeys>;
  /** Executes SQL as somebody who may do everything and whom no trigger stops. */
  change(sql: string): Promise<void>;
  /** Returns an SQL literal of bytes. */
  bytes(digits: string): string;
  /** Checks the whole store once. */
  check(): Promise<void>;
}

/** The public key of a log. */
const SIGNED_WITH = new NoteSigner('a', seed(1)).verifierKey;

const KEY: ApiKey = {
  id: 'AbCdEfGh01',
  name: 'the warehouse',
  hash: randomBytes(32),
  scopes: ['orders:read'],
  createdAt: NOON,
  expiresAt: LATER,
  limits: { rate: { requests: 100, seconds: 1, burst: 200 } },
};

const KEPT: readonly KeptOutcome[] = [
  {
    by: 'alice',
    key: 'a',
    fingerprint: 'f',
    decided: { kind: 'accepted', orderId: 7n as OrderId, version: 1 },
  },
  {
    by: 'alice',
    key: 'b',
    fingerprint: 'f',
    decided: { kind: 'rejected', reason: 'order_not_found' },
  },
];

/** The contract of every engine for rows that are in no proof: a changed row is refused. */
export function changedRowContract(name: string, create: () => Promise<StoreWithRows>): void {
  async function given() {
    const store = await create();
    const damage: Error[] = [];
    const log = await store.openLog((cause) => damage.push(cause));
    onTestFinished(() => log.close());
    const keys = await store.openKeys();
    await keys.add(KEY);
    await log.append(0, (_newer, kept) => {
      for (const outcome of KEPT) kept.keep(outcome);
      return [newEvent(placed(7n))];
    });
    return { store, log, keys, damage };
  }

  describe(`a row that was changed in ${name}`, () => {
    it.each([
      `name = 'somebody else'`,
      `scopes = 'orders:read orders:cancel'`,
      `created_at = '2025-01-01T12:00:00.000Z'`,
      'expires_at = NULL',
      `revoked_at = '2026-02-01T12:00:00.000Z'`,
      `limits = '{}'`,
      'limits = NULL',
      `limits = '{"streams":5}'`,
      'limits_checksum = NULL',
      'limits_checksum = checksum',
    ])('is no API key any more: %s', async (set) => {
      const { store, keys } = await given();
      expect(await keys.find(KEY.id)).toEqual(KEY);
      await store.change(`UPDATE api_keys SET ${set}`);
      await expect(keys.find(KEY.id)).rejects.toThrow(DamagedStore);
      await expect(keys.list()).rejects.toThrow(
        'the row "AbCdEfGh01" of api_keys is not as it was recorded',
      );
      await expect(keys.revoke(KEY.id, NOON)).rejects.toThrow(DamagedStore);
    });

    it.each([
      [
        'its revocation',
        `revoked_at = NULL, checksum = (SELECT checksum FROM key_changes
            WHERE id = 'AbCdEfGh02' AND change = 1)`,
      ],
      ['its limits', `limits = NULL, limits_checksum = NULL`],
    ])('is no API key any more if the disk has lost a write: %s', async (_write, older) => {
      const { store, keys } = await given();
      const { limits: _, ...unlimited } = KEY;
      const another = { ...unlimited, id: 'AbCdEfGh02' };
      await keys.add(another);
      await keys.revoke(another.id, LATER);
      await keys.limit(another.id, { streams: 1 });
      await store.change(`UPDATE api_keys SET ${older} WHERE id = '${another.id}'`);
      const words = 'the row "AbCdEfGh02" of api_keys is not as it was last changed';
      await expect(keys.find(another.id)).rejects.toThrow(words);
      await expect(keys.list()).rejects.toThrow(words);
      await expect(keys.count()).rejects.toThrow(words);
      await expect(keys.revoke(another.id, LATER)).rejects.toThrow(words);
      await expect(store.check()).rejects.toThrow(words);
      expect(await keys.find(KEY.id)).toEqual(KEY);
    });

    it.each([
      ['the row itself', `DELETE FROM api_keys`, 'is not as it was recorded'],
      ['its only change', `DELETE FROM key_changes`, 'is not as it was last changed'],
      [
        'its last change',
        `DELETE FROM key_changes WHERE change = 2`,
        'is not as it was last changed',
      ],
    ])('is no API key any more if the disk has lost a write: %s', async (_write, sql, words) => {
      const { store, keys } = await given();
      await keys.revoke(KEY.id, LATER);
      await store.change(sql);
      await expect(keys.find(KEY.id)).rejects.toThrow(words);
      await expect(keys.list()).rejects.toThrow(words);
      await expect(keys.count()).rejects.toThrow(words);
      await expect(store.check()).rejects.toThrow(words);
    });

    it.each([
      ['revoked', (keys: KeyStore) => keys.revoke(KEY.id, LATER)],
      ['not revoked', async () => true],
    ])('is not added anew where only the changes of a key are left: %s', async (_, change) => {
      const { store, keys } = await given();
      expect(await change(keys)).toBe(true);
      await store.change('DELETE FROM api_keys');
      const words = 'is not as it was recorded';
      for (const each of [KEY, { ...KEY, createdAt: LATER }]) {
        await expect(keys.add(each)).rejects.toThrow(words);
        await expect(acceptKey(keys, keyText('other'), LATER)).rejects.toThrow(words);
      }
      await expect(keys.find(KEY.id)).rejects.toThrow(words);
      await expect(store.check()).rejects.toThrow(words);
      expect(await keys.find(keyIdOf(keyText('other')) as string)).toBeUndefined();
    });

    it('is no API key any more once it was revoked, whatever was changed since', async () => {
      const { store, keys } = await given();
      await keys.revoke(KEY.id, LATER);
      const first = `FROM key_changes WHERE id = '${KEY.id}' AND change = 1`;
      await store.change(
        `INSERT INTO key_changes SELECT id, 3, checksum, limits_checksum ${first}`,
      );
      await store.change(
        `UPDATE api_keys SET revoked_at = NULL, checksum = (SELECT checksum ${first})`,
      );
      const words = 'is not as it was last changed';
      await expect(keys.find(KEY.id)).rejects.toThrow(words);
      await expect(keys.list()).rejects.toThrow(words);
      await expect(keys.count()).rejects.toThrow(words);
      await expect(keys.limit(KEY.id, {})).rejects.toThrow(words);
      await expect(store.check()).rejects.toThrow(words);
    });

    it.each([
      'change = change + 1 WHERE change = 2',
      'change = -1 WHERE change = 2',
      'change = 2147483647 WHERE change = 2',
      'change = 2147483647 WHERE change = 1',
    ])('is no API key any more if a change has another number: %s', async (set) => {
      const { store, keys } = await given();
      await keys.limit(KEY.id, { streams: 1 });
      await store.change(`UPDATE key_changes SET ${set}`);
      await expect(keys.find(KEY.id)).rejects.toThrow('is not as it was last changed');
      await expect(keys.revoke(KEY.id, LATER)).rejects.toThrow(DamagedStore);
      await expect(keys.limit(KEY.id, {})).rejects.toThrow(DamagedStore);
      await expect(store.check()).rejects.toThrow(DamagedStore);
    });

    it.each([
      [`INSERT INTO epochs VALUES (1, 'garbage')`, 'the statement of epoch 1 is not whole'],
      [`UPDATE store SET id = 'other'`, 'the id of the store is damaged'],
    ])('is noticed although no request depends on it: %s', async (sql, words) => {
      const { store } = await given();
      await store.change(sql);
      await expect(store.check()).rejects.toThrow(words);
    });

    it.each([
      ['DELETE FROM kept_outcomes WHERE key = $', '2 kept outcomes were recorded, and 1 are found'],
      ['UPDATE store SET kept_outcomes = 1', '1 kept outcomes were recorded, and 2 are found'],
    ])('is noticed if the disk has lost a write of kept outcomes: %s', async (sql, words) => {
      const { store } = await given();
      await store.check();
      await store.change(sql.replace('$', `'a'`));
      await expect(store.check()).rejects.toThrow(words);
    });

    it('is no API key any more, under another id either', async () => {
      const { store, keys } = await given();
      await store.change(`UPDATE api_keys SET id = 'AbCdEfGh02'`);
      await expect(keys.find('AbCdEfGh02')).rejects.toThrow(DamagedStore);
    });

    it.each([
      'order_id = 8',
      'version = 2',
      `order_id = NULL, version = NULL, refusal = 'order_not_found'`,
      `fingerprint = 'g'`,
      `key = 'c'`,
      `asked_by = 'bob'`,
    ])('is no kept outcome any more: %s', async (set) => {
      const { store, log, damage } = await given();
      await store.change(`UPDATE kept_outcomes SET ${set} WHERE key = 'a'`);
      const by = set.startsWith('asked_by') ? 'bob' : 'alice';
      const key = set.startsWith('key') ? 'c' : 'a';
      const asked = [{ by, key }];
      const recall: Decide = (_newer, kept) => {
        kept.recall(by, key);
        return [];
      };
      const result = await log.append(1, recall, asked);
      expect(result.kind).toBe('unavailable');
      expect(damage).toHaveLength(1);
      expect(damage[0]?.message).toMatch(
        `the row "${by} ${key}" of kept_outcomes is not as it was`,
      );
    });

    it.each([
      `INSERT INTO signing_keys VALUES (2, 'x', '${NOON}')`,
      `INSERT INTO signing_keys VALUES (2, '', '')`,
      `INSERT INTO signing_keys VALUES (3, '${SIGNED_WITH}', '${NOON}')`,
      `INSERT INTO signing_keys VALUES (-1, '${SIGNED_WITH}', '${NOON}')`,
      `UPDATE signing_keys SET verifier_key = ''`,
      `UPDATE signing_keys SET verifier_key = 'b' || verifier_key`,
      `UPDATE signing_keys SET since = 'yesterday'`,
      `UPDATE signing_keys SET since = ''`,
    ])('is found in the record of signing keys, which then has none: %s', async (change) => {
      const { store } = await given();
      const keys = await store.openSigningKeys();
      expect(await keys.add({ verifierKey: SIGNED_WITH, since: NOON }, 0)).toBe(true);
      await store.check();
      await store.change(change);
      const says = /^row -?\d of the record of signing keys is not what was recorded$/;
      await expect(store.check()).rejects.toThrow(DamagedStore);
      await expect(store.check()).rejects.toThrow(says);
      await expect(keys.list()).rejects.toThrow(says);
    });

    it('does not prevent the append of an event whose trace it would be', async () => {
      const { store, log, damage } = await given();
      await store.change(`INSERT INTO event_traces VALUES (2, 'planted')`);
      const traced = { ...newEvent(placed(8n)), traceparent: TRACEPARENT };
      expect(await log.append(1, () => [traced])).toMatchObject({ kind: 'appended' });
      expect(await log.head()).toBe(2);
      expect(damage).toEqual([]);
    });

    it('is found by the append that would add it: a node of the tree ahead of the log', async () => {
      const { store, log, damage } = await given();
      const node = store.bytes('ab'.repeat(32));
      await store.change(`INSERT INTO tree_nodes VALUES (8, 0, ${node})`);
      const events = Array.from({ length: 255 }, (_, n) => newEvent(placed(BigInt(n + 8))));
      expect(await log.append(1, () => events.slice(0, 254))).toMatchObject({ kind: 'appended' });
      expect(damage).toEqual([]);
      const append = () => log.append(255, () => events.slice(254));
      expect(await append()).toMatchObject({ kind: 'unavailable' });
      expect(damage).toEqual([expect.any(DamagedStore)]);
      expect(await append()).toMatchObject({ kind: 'unavailable' });
      expect(await log.head()).toBe(255);
      await expect(store.check()).rejects.toThrow(DamagedStore);
    });

    it('is found ahead of the log, as the trace of an event to come', async () => {
      const { store } = await given();
      await store.check();
      await store.change(`INSERT INTO event_traces VALUES (2, 'planted')`);
      await expect(store.check()).rejects.toThrow('the trace at position 2 is of no event');
    });

    it('does not keep others from being found', async () => {
      const { store, log } = await given();
      await store.change(`UPDATE kept_outcomes SET order_id = 8 WHERE key = 'a'`);
      const found: unknown[] = [];
      const look = { by: 'alice', key: 'b' };
      await log.append(
        1,
        (_newer, kept) => {
          found.push(kept.recall(look.by, look.key));
          return [];
        },
        [look],
      );
      expect(found).toEqual([KEPT[1]]);
    });
  });
}
