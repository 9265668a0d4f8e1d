import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  type BadLine,
  BadLines,
  type DueLine,
  ImportCheck,
} from '../../../../src/app/import/import-check.ts';
import { type PresentOrder, planImport } from '../../../../src/app/import/import-plan.ts';
import {
  type Fields,
  type ImportedOrder,
  type Reading,
  readImportedOrder,
} from '../../../../src/app/import/imported-order.ts';
import { NamedOrders } from '../../../../src/app/import/named-orders.ts';
import type { NewEvent } from '../../../../src/app/log/recorded-event.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../../src/domain/order-id.ts';
import { STATUSES } from '../../../../src/domain/order-lives.ts';
import { MemoryEventLog } from '../../../../src/infra/memory/event-log.ts';
import { openWorkingTable } from '../../../../src/infra/sqlite/working-table.ts';
import { fewOrderIds } from '../../../support/arbitraries.ts';
import { NOON, newEvent, placed } from '../../../support/events.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';

const MONDAY = '2026-01-05T00:00:00.000Z' as Instant;

/** A check of these lines in a store that has one order, number 1, which is pending. */
async function check(...lines: readonly Fields[]) {
  const readings = lines.map((fields) =>
    readImportedOrder({ petId: '1', quantity: '1', ...fields }),
  );
  return checkIn([newEvent(placed(1n, { petId: 1n as PetId }))], [readings]);
}

/** A check of chunks of lines in a store with these events. */
async function checkIn(events: readonly NewEvent[], chunks: readonly (readonly Reading[])[]) {
  const [table, found] = [openWorkingTable(), openWorkingTable()];
  onTestFinished(() => {
    table.close();
    found.close();
  });
  const check = new ImportCheck(table);
  let line = 0;
  for (const readings of chunks) check.add(readings.map((reading) => ({ line: ++line, reading })));
  const log = new MemoryEventLog();
  await log.append(0, () => events);
  const orders = await NamedOrders.read(log, table, found, () => {});
  check.compareWith(orders);
  const { read, present, dueCount, bad } = check;
  const isPresent = (id: bigint) => check.isPresent(id as OrderId, orders);
  return { read, present, dueCount, bad, due: [...check.due(orders)], isPresent };
}

async function dueLines(...lines: readonly Fields[]): Promise<number[]> {
  return (await check(...lines)).due.map(({ line }) => line);
}

test('without lines, nothing is due', async () => {
  const { read, present, dueCount, bad, due } = await check();
  expect({ read, present, dueCount, bad: bad.count }).toEqual({
    read: 0,
    present: 0,
    dueCount: 0,
    bad: 0,
  });
  expect(due).toEqual([]);
});

test('new orders are due; orders that are there are not', async () => {
  const checked = await check({ id: '1' }, { id: '2' });
  expect(checked).toMatchObject({ read: 2, present: 1, dueCount: 1, bad: { count: 0 } });
  expect(checked.due).toEqual([
    { line: 2, id: 2n, commands: [{ type: 'PlaceOrder', orderId: 2n, petId: 1n, quantity: 1 }] },
  ]);
});

test('an order is present if it is as its line says, or beyond', async () => {
  const lines: Fields[] = [{ id: '1' }, { id: '2' }, { id: '1', petId: '5' }];
  expect((await check(...lines)).isPresent(1n)).toBe(true);
  expect((await check(...lines)).isPresent(2n)).toBe(false);
  expect((await check({ id: '1', petId: '5' })).isPresent(1n)).toBe(false);
  expect((await check({ id: '1', status: 'shipped', shipDate: MONDAY })).isPresent(1n)).toBe(false);
});

test('an order that is there and not as far is due', async () => {
  const checked = await check({ id: '1', status: 'shipped', shipDate: MONDAY });
  expect(checked.due).toEqual([
    { line: 1, id: 1n, commands: [{ type: 'ShipOrder', orderId: 1n, shipDate: MONDAY }] },
  ]);
});

test('a line that contradicts the order that is there is bad', async () => {
  const checked = await check({ id: '1', petId: '5' }, { id: '2' });
  expect(checked.bad.first).toEqual([
    { line: 1, reason: 'the order is there already, with petId 1' },
  ]);
  expect(checked.due.map(({ line }) => line)).toEqual([2]);
});

test('a line that cannot be read is bad, whatever follows', async () => {
  const checked = await check({ id: 'x' }, { id: '2' });
  expect(checked).toMatchObject({ read: 2, dueCount: 1, bad: { count: 1 } });
  expect(checked.bad.first).toEqual([
    { line: 1, reason: 'id must be an integer of 64 bits, not "x"' },
  ]);
});

test('the same order twice counts once', async () => {
  const checked = await check({ id: '2' }, { id: '2' });
  expect(checked).toMatchObject({ read: 2, present: 1, dueCount: 1 });
  expect(checked.due.map(({ line }) => line)).toEqual([1]);
});

test.each<Fields>([
  { petId: '2' },
  { quantity: '2' },
  { shipDate: MONDAY },
  { status: 'cancelled' },
])('an order with two stories is bad, from the second on: %o', async (other) => {
  const checked = await check({ id: '2' }, { id: '3' }, { id: '2', ...other });
  expect(checked.bad.first).toEqual([
    { line: 3, reason: 'it says something else of the order than line 1' },
  ]);
});

test('an order that was cancelled for two reasons is bad', async () => {
  const cancelledFor = (cancelReason: string) => ({ id: '2', status: 'cancelled', cancelReason });
  const checked = await check(
    cancelledFor('other'),
    cancelledFor('other'),
    cancelledFor('duplicate'),
  );
  expect(checked.bad.first).toEqual([
    { line: 3, reason: 'it says something else of the order than line 1' },
  ]);
});

test('the highest id comes first, and then the lines as they stand', async () => {
  expect(await dueLines({ id: '5' }, { id: '-3' }, { id: '9' }, { id: '1' })).toEqual([3, 1, 2]);
});

test('all bad lines are counted, and the first twenty are kept, in whatever order they are found', () => {
  const bad = new BadLines();
  for (const line of [30, 1, 29, 2, 28, 3]) bad.add(line, 'it is bad');
  for (let line = 4; line <= 27; line++) bad.add(line, 'it is bad');
  expect(bad.count).toBe(30);
  expect(bad.first.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

/** The same with Maps: the lines that are bad, the number of those that need nothing, and what is due. */
function naiveCheck(readings: readonly Reading[], existing: ReadonlyMap<bigint, PresentOrder>) {
  const first = new Map<bigint, { readonly line: number; readonly order: ImportedOrder }>();
  const bad: BadLine[] = [];
  let present = 0;
  for (const [index, reading] of readings.entries()) {
    const line = index + 1;
    if (reading.kind === 'bad') {
      bad.push({ line, reason: reading.reason });
      continue;
    }
    const { order } = reading;
    const before = first.get(order.id);
    if (before === undefined) first.set(order.id, { line, order });
    else if (isDeepStrictEqual(before.order, order)) present += 1;
    else {
      const reason = `it says something else of the order than line ${before.line}`;
      bad.push({ line, reason });
    }
  }
  const due: DueLine[] = [];
  const highest = [...first.keys()].reduce((max, id) => (id > max ? id : max), -(2n ** 63n));
  const inOrder = [...first].sort(([a], [b]) => Number(b === highest) - Number(a === highest));
  for (const [, { line, order }] of inOrder) {
    const plan = planImport(order, existing.get(order.id));
    if (plan.kind === 'impossible') bad.push({ line, reason: plan.reason });
    else if (plan.commands.length === 0) present += 1;
    else due.push({ line, id: order.id, commands: plan.commands });
  }
  return { bad: bad.sort((a, b) => a.line - b.line), present, due };
}

test('any lines are checked against any store as with Maps', async () => {
  const fields: fc.Arbitrary<Fields> = fc.record(
    {
      id: fc.oneof(fewOrderIds.map(String), fc.constantFrom('x', '9223372036854775807')),
      petId: fc.constantFrom('7', '8'),
      quantity: fc.constantFrom('1', '1', '2'),
      shipDate: fc.constantFrom(MONDAY, NOON),
      status: fc.constantFrom(...STATUSES),
      cancelReason: fc.constantFrom('other', 'duplicate'),
    },
    { requiredKeys: ['id', 'petId', 'quantity'], noNullPrototype: true },
  );
  const chunks = fc.array(fc.array(fields, { maxLength: 200, size: 'max' }), { maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(histories, chunks, async (history, drawn) => {
      const read = drawn.map((lines) => lines.map(readImportedOrder));
      const existing = new Map(naiveOrders(history).map((order) => [order.id, order]));
      const expected = naiveCheck(read.flat(), existing);
      const { bad, present, due, dueCount } = await checkIn(history, read);
      expect({ bad: bad.first, present, due }).toEqual({
        ...expected,
        bad: expected.bad.slice(0, 20),
      });
      expect([bad.count, dueCount]).toEqual([expected.bad.length, expected.due.length]);
    }),
  );
});
