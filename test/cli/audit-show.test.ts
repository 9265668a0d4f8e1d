import { expect, test } from 'vitest';
import { Writer } from '../../src/app/writer.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';
import { Place } from './command-line.ts';

test('an order is shown with all that happened to it, and with nothing else', async () => {
  const place = new Place();
  const store = place.open();
  const writer = await Writer.open(store.log);
  const [orderId, petId] = [42n as OrderId, 7n as PetId];
  await writer.execute([
    { command: { type: 'PlaceOrder', orderId, petId, quantity: 1 }, by: 'import', commandId: 'a' },
    { command: { type: 'PlaceNewOrder', petId, quantity: 1 }, by: 'import', commandId: 'b' },
    { command: { type: 'CancelOrder', orderId }, by: 'import', commandId: 'c' },
  ]);
  await store.close();
  const { code, out, err } = await place.run('audit', 'show', '42');
  expect([code, err]).toEqual([0, '']);
  expect(out.replaceAll(/\d{4}-\S+Z/g, 'WHEN')).toBe(
    'WHEN  OrderPlaced, version 1, position 1\n  by import, command a\n' +
      'WHEN  OrderCancelled, version 2, position 3\n  by import, command c\n',
  );
});

test('an order that is not there is told of', async () => {
  const { code, out, err } = await new Place().run('audit', 'show', '4711');
  expect([code, out]).toEqual([1, '']);
  expect(err).toBe('store-orders: There is no order 4711.\n');
});

test('what is no id is a usage error', async () => {
  expect(await new Place().run('audit', 'show', '042')).toMatchObject({ code: 2, out: '' });
});
