import { expect, test } from 'vitest';
import { cloudEventOf } from '../../../src/app/audit/cloud-event.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import { MIN_INT64, type OrderId, type PetId } from '../../../src/domain/order-id.ts';
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
