import { expect, test } from 'vitest';
import {
  type Fields,
  isProperty,
  readImportedOrder,
} from '../../../../src/app/import/imported-order.ts';

const DATE = '2026-01-31T12:00:00.000Z';
const LEAST: Fields = { id: '1', petId: '2', quantity: '3' };

/** What is read from a line that says so, beside the least that a line must say. */
function read(more: Fields) {
  return readImportedOrder({ ...LEAST, ...more });
}

test('an order needs an id, a pet and a quantity, and is pending', () => {
  expect(read({})).toStrictEqual({
    kind: 'order',
    order: { id: 1n, petId: 2n, quantity: 3, shipDate: undefined, status: 'pending' },
  });
});

test('a property is one of seven, to the letter', () => {
  const names = ['id', 'petId', 'quantity', 'shipDate', 'complete', 'status', 'cancelReason'];
  expect(names.every(isProperty)).toBe(true);
  expect(['ID', 'petid', '', '__proto__', 'toString'].some(isProperty)).toBe(false);
});

test('a cancelled order has the reason for which it was cancelled, if there is one', () => {
  const least = { id: 1n, petId: 2n, quantity: 3, shipDate: undefined, status: 'cancelled' };
  expect(read({ status: 'cancelled' })).toStrictEqual({ kind: 'order', order: least });
  expect(read({ status: 'cancelled', cancelReason: 'duplicate' })).toStrictEqual({
    kind: 'order',
    order: { ...least, cancelReason: 'duplicate' },
  });
});

test('a shipped order has the date on which it shipped', () => {
  expect(read({ status: 'shipped', shipDate: DATE, quantity: '2147483647' })).toStrictEqual({
    kind: 'order',
    order: { id: 1n, petId: 2n, quantity: 2_147_483_647, shipDate: DATE, status: 'shipped' },
  });
});

test('64-bit numbers are exact', () => {
  expect(read({ id: '9007199254740993', petId: '-9223372036854775808' })).toMatchObject({
    order: { id: 9007199254740993n, petId: -9223372036854775808n },
  });
});

test('dates are moved to UTC', () => {
  expect(read({ shipDate: DATE })).toMatchObject({ order: { shipDate: DATE } });
  expect(read({ shipDate: '2026-01-31T13:00:00+01:00' })).toMatchObject({
    order: { shipDate: DATE },
  });
});

test.each<Fields & { is: string }>([
  { complete: 'false', is: 'pending' },
  { complete: 'true', is: 'shipped' },
  { status: 'pending', is: 'pending' },
  { status: 'cancelled', is: 'cancelled' },
  { status: 'shipped', is: 'shipped' },
  { status: 'pending', complete: 'false', is: 'pending' },
  { status: 'cancelled', complete: 'false', is: 'cancelled' },
  { status: 'shipped', complete: 'true', is: 'shipped' },
])('status $status and complete $complete make it $is', ({ is, ...fields }) => {
  expect(read({ shipDate: DATE, ...fields })).toMatchObject({ order: { status: is } });
});

test.each<{ fields: Fields; reason: string }>([
  { fields: { petId: '2', quantity: '3' }, reason: 'id is missing' },
  { fields: { id: '1', quantity: '3' }, reason: 'petId is missing' },
  { fields: { id: '1', petId: '2' }, reason: 'quantity is missing' },
])('$reason', ({ fields, reason }) => {
  expect(readImportedOrder(fields)).toEqual({ kind: 'bad', reason });
});

test.each<{ fields: Fields; reason: string }>([
  { fields: { id: '01' }, reason: 'id must be an integer of 64 bits, not "01"' },
  { fields: { id: '9223372036854775808' }, reason: 'id must be an integer of 64 bits' },
  { fields: { petId: '1.0' }, reason: 'petId must be an integer of 64 bits, not "1.0"' },
  { fields: { quantity: '0' }, reason: 'quantity must be a whole number from 1 to 2147483647' },
  { fields: { quantity: '2147483648' }, reason: 'quantity must be a whole number' },
  { fields: { quantity: '1e3' }, reason: 'quantity must be a whole number' },
  { fields: { shipDate: '2026-01-31' }, reason: 'shipDate must be a date-time of RFC 3339' },
  { fields: { shipDate: '' }, reason: 'shipDate must be a date-time of RFC 3339' },
  { fields: { complete: 'yes' }, reason: 'complete must be true or false, not "yes"' },
  { fields: { status: 'lost' }, reason: 'status must be pending or shipped or cancelled' },
  { fields: { status: 'shipped' }, reason: 'shipDate is missing, and the order is shipped' },
  { fields: { complete: 'true' }, reason: 'shipDate is missing, and the order is shipped' },
  {
    fields: { status: 'cancelled', complete: 'true' },
    reason: 'complete is true, and status is cancelled',
  },
  {
    fields: { status: 'shipped', complete: 'false', shipDate: DATE },
    reason: 'complete is false, and status is shipped',
  },
  {
    fields: { status: 'cancelled', cancelReason: 'a whim' },
    reason: 'cancelReason must be customer_request or out_of_stock or',
  },
  {
    fields: { status: 'pending', cancelReason: 'other' },
    reason: 'cancelReason is other, and status is pending',
  },
])('$fields is refused', ({ fields, reason }) => {
  const reading = read(fields);
  expect(reading.kind === 'bad' && reading.reason).toContain(reason);
});

test('a reason repeats nothing that is long or could act on a terminal', () => {
  expect(read({ id: `\u001b]0;\u009b31m${'x'.repeat(100)}` })).toEqual({
    kind: 'bad',
    reason: `id must be an integer of 64 bits, not "\ufffd]0;\ufffd31m${'x'.repeat(32)}"`,
  });
});
