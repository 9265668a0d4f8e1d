import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cloudEventOf } from '../../../src/app/audit/proofs/cloud-event.ts';
import { snapshotKeyOf } from '../../../src/app/audit/proving/signing-key.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { OrderCommand } from '../../../src/domain/order.ts';
import { MIN_INT64, type OrderId, type PetId } from '../../../src/domain/order-id.ts';
import { SnapshotFile, snapshotBeside } from '../../../src/infra/snapshot/snapshot-file.ts';
import { SnapshotReader } from '../../../src/infra/snapshot/snapshot-layout.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { rootsIn } from '../../../src/infra/sqlite/merkle-tables.ts';
import { Place } from '../../support/command-line.ts';
import { NOON } from '../../support/events.ts';

/** A store in which order 42 was placed by an import and cancelled with a key, beside another. */
async function given(): Promise<{ place: Place; keyId: string }> {
  const place = new Place();
  const store = await place.open();
  const key = keyRecord(mintKeyText(), { name: 'the shop', scopes: [], createdAt: NOON });
  await store.keys.add(key);
  const writer = await Writer.open(store.log);
  const [orderId, petId] = [42n as OrderId, 7n as PetId];
  await writer.execute([
    { command: { type: 'PlaceOrder', orderId, petId, quantity: 3 }, by: 'import', commandId: 'a' },
    { command: { type: 'PlaceNewOrder', petId, quantity: 1 }, by: 'import', commandId: 'b' },
    { command: { type: 'CancelOrder', orderId }, by: key.id, commandId: 'c' },
  ]);
  await store.close();
  return { place, keyId: key.id };
}

test('an order is shown with all its events and no others', async () => {
  const { place, keyId } = await given();
  const { code, out, err } = await place.run('audit', 'show', '42');
  expect([code, err]).toEqual([0, '']);
  expect(out.replaceAll(/\d{4}-\S+Z/g, 'WHEN')).toBe(`WHEN  OrderPlaced
  position 1, version 1
  by import
  command a
  {"orderId":"42","petId":"7","quantity":3}
WHEN  OrderCancelled
  position 3, version 2
  by the shop (${keyId})
  command c
  {"orderId":"42"}
`);
});

test('a text of an event neither controls a terminal nor begins a line of its own', async () => {
  const place = new Place();
  const store = await place.open();
  const command = { type: 'PlaceOrder', orderId: 42n as OrderId, petId: 7n as PetId, quantity: 3 };
  const [by, commandId] = ['import\u001b[2J', 'a\n  by the shop'];
  const writer = await Writer.open(store.log);
  await writer.execute([{ command: command as OrderCommand, by, commandId }]);
  await store.close();
  const { out } = await place.run('audit', 'show', '42');
  expect(out).toContain('  by import?[2J\n  command a   by the shop\n  {');
});

test('the same as CloudEvents, as the API has them', async () => {
  const { place } = await given();
  const { code, out, err } = await place.run('audit', 'show', '42', '--json');
  expect([code, err]).toEqual([0, '']);
  const store = await place.open();
  const [first, , third] = await store.trail.stored(0, 3);
  const expected = [first, third].map(
    (stored) =>
      stored && cloudEventOf(stored, store.id, (id) => (id === 'import' ? undefined : 'the shop')),
  );
  await store.close();
  expect(out).toBe(expected.map((line) => `${line}\n`).join(''));
});

test('an id may be negative', async () => {
  const place = new Place();
  const store = await place.open();
  const command = {
    type: 'PlaceOrder',
    orderId: MIN_INT64 as OrderId,
    petId: 1n as PetId,
  } as const;
  const writer = await Writer.open(store.log);
  await writer.execute([{ command: { ...command, quantity: 1 }, by: 'import', commandId: 'a' }]);
  await store.close();
  const { code, out } = await place.run('audit', 'show', String(MIN_INT64));
  expect(code).toBe(0);
  expect(out).toContain(`{"orderId":"${MIN_INT64}"`);
});

test('an unknown order is reported', async () => {
  const { place } = await given();
  const { code, out, err } = await place.run('audit', 'show', '4711');
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe('store-orders: There is no order 4711.\n');
});

test.each(['042', 'x', '9223372036854775808'])('%s is no id: a usage error', async (id) => {
  expect(await new Place().run('audit', 'show', id)).toMatchObject({ code: 2, out: '' });
});

describe('with a snapshot', () => {
  /** The same store, with a snapshot up to the event before the cancellation. */
  async function withSnapshot() {
    const { place } = await given();
    const file = place.file('store.db');
    const db = new Database(file);
    onTestFinished(() => void db.close());
    const list = new OrderList(() => undefined);
    const log = new SqliteEventLog(db);
    for await (const events of log.read(0))
      for (const event of events.slice(0, 2)) list.fold(event);
    const snapshots = new SnapshotFile(snapshotBeside(file), storeIdOf(db), rootsIn(db));
    snapshots.sealWith(snapshotKeyOf(undefined));
    await snapshots.save(list.pack());
    const read = vi.spyOn(SnapshotReader.prototype, 'partly');
    onTestFinished(() => read.mockRestore());
    /** Changes a text in the file, as nothing but an editor of files can. */
    const change = (text: string, becomes: string) => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      const bytes = readFileSync(file);
      bytes.write(becomes, bytes.indexOf(text));
      writeFileSync(file, bytes);
    };
    return { place, file, change, read };
  }

  test('the events before it and since are found', async () => {
    const { place, read } = await withSnapshot();
    const { code, out } = await place.run('audit', 'show', '42');
    expect(code).toBe(0);
    expect(out.match(/position \d/g)).toStrictEqual(['position 1', 'position 3']);
    expect(read).toHaveBeenCalledOnce();
    expect(JSON.parse((await place.run('audit', 'receipt', '42')).out)).toMatchObject({
      record: expect.stringContaining('OrderCancelled'),
    });
  });

  test.each([
    ['the event that is shown', '"petId":"7","quantity":3}', '"petId":"7","quantity":4}'],
    ['an event since', '{"orderId":"42"}', '{"orderId":"43"}'],
  ])('%s is not shown if it was changed', async (_, text, becomes) => {
    const { place, change } = await withSnapshot();
    change(text, becomes);
    const { code, out, err } = await place.run('audit', 'show', '42');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/not what was recorded/);
  });

  test('it is not used if its seal is none of the key of the log, or that key cannot be read', async () => {
    const { place, file, read } = await withSnapshot();
    const key = place.file('store.db-signing-key');
    expect((await place.run('audit', 'checkpoint')).code).toBe(0);
    for (const become of [() => {}, () => rmSync(key), () => writeFileSync(key, 'no key')]) {
      become();
      const { code, out } = await place.run('audit', 'show', '42');
      expect(code).toBe(0);
      expect(out.match(/position \d/g)).toStrictEqual(['position 1', 'position 3']);
      expect(read).not.toHaveBeenCalled();
      expect(existsSync(snapshotBeside(file))).toBe(true);
    }
  });

  test('it is not used if it is damaged', async () => {
    const { place, file } = await withSnapshot();
    const bytes = readFileSync(snapshotBeside(file));
    bytes[bytes.length - 9] = (bytes[bytes.length - 9] as number) ^ 1;
    writeFileSync(snapshotBeside(file), bytes);
    const { out } = await place.run('audit', 'show', '42');
    expect(out.match(/position \d/g)).toStrictEqual(['position 1', 'position 3']);
  });
});
