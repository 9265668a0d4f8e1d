import { expect, test } from 'vitest';
import { ImportCheck } from '../../../../src/app/import/import-check.ts';
import { bad, type Fields, readImportedOrder } from '../../../../src/app/import/imported-order.ts';
import type { OrderView } from '../../../../src/app/state/order-list.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';

const MONDAY = '2026-01-05T00:00:00.000Z' as Instant;

/** A check of these lines in a store that has one order, number 1, which is pending. */
function check(...lines: readonly Fields[]): ImportCheck {
  const there: OrderView = {
    id: 1n as OrderId,
    petId: 1n as PetId,
    quantity: 1,
    shipDate: undefined,
    status: 'pending',
  };
  const check = new ImportCheck((id) => (id === 1n ? there : undefined));
  for (const [index, fields] of lines.entries()) {
    check.add(index + 1, readImportedOrder({ petId: '1', quantity: '1', ...fields }));
  }
  return check;
}

function dueLines(check: ImportCheck): number[] {
  return Array.from(check.due(), ({ line }) => line);
}

test('without lines, nothing is due', () => {
  const { read, present, dueCount, bad } = check();
  expect({ read, present, dueCount, bad: bad.count }).toEqual({
    read: 0,
    present: 0,
    dueCount: 0,
    bad: 0,
  });
  expect(dueLines(check())).toEqual([]);
});

test('new orders are due; orders that are there are not', () => {
  const checked = check({ id: '1' }, { id: '2' });
  expect(checked).toMatchObject({ read: 2, present: 1, dueCount: 1, bad: { count: 0 } });
  expect([...checked.due()]).toEqual([
    { line: 2, commands: [{ type: 'PlaceOrder', orderId: 2n, petId: 1n, quantity: 1 }] },
  ]);
});

test('an order that is there and not as far is due', () => {
  const checked = check({ id: '1', status: 'shipped', shipDate: MONDAY });
  expect([...checked.due()]).toEqual([
    { line: 1, commands: [{ type: 'ShipOrder', orderId: 1n, shipDate: MONDAY }] },
  ]);
});

test('a line that contradicts the order that is there is bad', () => {
  const checked = check({ id: '1', petId: '5' }, { id: '2' });
  expect(checked.bad.first).toEqual([
    { line: 1, reason: 'the order is there already, with petId 1' },
  ]);
  expect(dueLines(checked)).toEqual([2]);
});

test('a line is no longer due after another client has placed an order under its id', () => {
  const others = new Map<bigint, OrderView>();
  const checked = new ImportCheck((id) => others.get(id));
  for (const [line, id] of [
    [1, '2'],
    [2, '3'],
  ] as const) {
    checked.add(line, readImportedOrder({ id, petId: '1', quantity: '1' }));
  }
  const taken = { id: 2n as OrderId, petId: 99n as PetId, quantity: 1, shipDate: undefined };
  others.set(2n, { ...taken, status: 'pending' });
  expect(dueLines(checked)).toEqual([2]);
});

test('the same order twice counts once', () => {
  const checked = check({ id: '2' }, { id: '2' });
  expect(checked).toMatchObject({ read: 2, present: 1, dueCount: 1 });
  expect(dueLines(checked)).toEqual([1]);
});

test.each<Fields>([
  { petId: '2' },
  { quantity: '2' },
  { shipDate: MONDAY },
  { status: 'cancelled' },
])('an order with two stories is bad, from the second on: %o', (other) => {
  const checked = check({ id: '2' }, { id: '3' }, { id: '2', ...other });
  expect(checked.bad.first).toEqual([
    { line: 3, reason: 'it says something else of the order than line 1' },
  ]);
});

test('an order that was cancelled for two reasons is bad', () => {
  const cancelledFor = (cancelReason: string) => ({ id: '2', status: 'cancelled', cancelReason });
  const checked = check(cancelledFor('other'), cancelledFor('other'), cancelledFor('duplicate'));
  expect(checked.bad.first).toEqual([
    { line: 3, reason: 'it says something else of the order than line 1' },
  ]);
});

test('the highest id comes first, and then the lines as they stand', () => {
  expect(dueLines(check({ id: '5' }, { id: '-3' }, { id: '9' }, { id: '1' }))).toEqual([3, 1, 2]);
});

test('all bad lines are counted, and the first twenty are kept', () => {
  const checked = check();
  for (let line = 1; line <= 25; line++) checked.add(line, bad('it is bad'));
  expect(checked.read).toBe(25);
  expect(checked.bad.count).toBe(25);
  expect(checked.bad.first.map(({ line }) => line)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
});
