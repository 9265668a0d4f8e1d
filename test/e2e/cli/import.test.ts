import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NewEvent } from '../../../src/app/log/recorded-event.ts';
import type { OrderView } from '../../../src/app/state/order-list.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { STATUSES } from '../../../src/domain/order-lives.ts';
import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import { instants, orderIds, petIds } from '../../support/arbitraries.ts';
import { Place } from '../../support/command-line.ts';
import { isNightly } from '../../support/nightly.ts';

const MONDAY = '2026-01-05T00:00:00.000Z' as Instant;
const TUESDAY = '2026-01-06T00:00:00.000Z' as Instant;

const COLUMNS = ['id', 'petId', 'quantity', 'shipDate', 'complete', 'status'] as const;
type Row = Readonly<Record<(typeof COLUMNS)[number], string | undefined>>;

/** Orders as in a file: shipped ones have a date. */
const orders: fc.Arbitrary<OrderView[]> = fc.uniqueArray(
  fc
    .record({
      id: orderIds,
      petId: petIds,
      quantity: fc.integer({ min: 1, max: 2_147_483_647 }),
      shipDate: fc.option(instants, { nil: undefined }),
      status: fc.constantFrom(...STATUSES),
    })
    .map((order) => ({ ...order, shipDate: order.shipDate ?? dateOf(order.status) })),
  { selector: ({ id }) => id, maxLength: 12 },
);

function dateOf(status: string): Instant | undefined {
  return status === 'shipped' ? MONDAY : undefined;
}

function rowOf({ id, petId, quantity, shipDate, status }: OrderView): Row {
  return {
    id: String(id),
    petId: String(petId),
    quantity: String(quantity),
    shipDate,
    complete: String(status === 'shipped'),
    status,
  };
}

function ndjson(rows: readonly Row[]): string {
  return rows.map((row) => `${jsonOf(row)}\n`).join('');
}

function jsonOf({ id, petId, quantity, shipDate, complete, status }: Row): string {
  const date = shipDate === undefined ? '' : `"shipDate":${JSON.stringify(shipDate)},`;
  return (
    `{"id":${id},"petId":${petId},"quantity":${quantity},${date}` +
    `"complete":${complete},"status":${JSON.stringify(status)}}`
  );
}

function csv(rows: readonly Row[], quote: (cell: string) => string = (cell) => cell): string {
  const lines = rows.map((row) => COLUMNS.map((name) => quote(row[name] ?? '')).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\n');
}

const FILES: Readonly<Record<string, (rows: readonly Row[]) => string>> = {
  'orders.ndjson': ndjson,
  'orders.jsonl': (rows) => `\ufeff${ndjson(rows).replaceAll('\n', '\r\n\r\n')}`,
  'orders.csv': csv,
  'ORDERS.CSV': (rows) => `\ufeff${csv(rows, (cell) => `"${cell}"`).replaceAll('\n', '\r\n')}`,
};

test.each(Object.entries(FILES))('the orders of %s are in the list', async (name, write) => {
  await fc.assert(
    fc.asyncProperty(orders, async (wanted) => {
      const place = new Place();
      const file = place.write(name, write(wanted.map(rowOf)));
      const { code, err } = await place.run('import', file);
      expect([code, err]).toEqual([0, '']);
      expect(await place.orders()).toEqual(wanted.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
      const head = await place.head();
      expect(await place.run('import', file)).toMatchObject({ code: 0, err: '' });
      expect(await place.head()).toBe(head);
    }),
    { numRuns: isNightly ? 25 : 3 },
  );
});

/** The invalid values of each column. */
const CORRUPTIONS: readonly { column: (typeof COLUMNS)[number]; to: string | undefined }[] = [
  ...['', 'x', '1.5', '9223372036854775808', '1e2'].map((to) => ({ column: 'id' as const, to })),
  ...['', '-', '0x10', '99999999999999999999'].map((to) => ({ column: 'petId' as const, to })),
  ...['', '0', '-1', '2147483648', '1.0'].map((to) => ({ column: 'quantity' as const, to })),
  ...['soon', '2026-02-30T00:00:00Z', '2026-01-05'].map((to) => ({
    column: 'shipDate' as const,
    to,
  })),
  ...['"', 'maybe', 'TRUE', '1'].map((to) => ({ column: 'complete' as const, to })),
  ...['lost', 'Pending', '"pending'].map((to) => ({ column: 'status' as const, to })),
];

test.each([
  { name: 'orders.ndjson', write: ndjson, header: 0 },
  { name: 'orders.csv', write: csv, header: 1 },
])('one bad value anywhere in $name is reported, and nothing is imported', async (format) => {
  const { name, write, header } = format;
  const corruptions = fc.tuple(fc.nat(), fc.constantFrom(...CORRUPTIONS));
  await fc.assert(
    fc.asyncProperty(orders, corruptions, async (wanted, [anywhere, { column, to }]) => {
      fc.pre(wanted.length > 0);
      const index = anywhere % wanted.length;
      const rows = wanted.map(rowOf);
      const place = new Place();
      const corrupt = rows.with(index, { ...(rows[index] as Row), [column]: to });
      const file = place.write(name, write(corrupt));
      const { code, out, err } = await place.run('import', file);
      expect(code).toBe(1);
      expect(out).toContain(', 1 bad\n');
      expect(err).toMatch(new RegExp(`^store-orders: line ${index + header + 1}: `));
      expect(await place.head()).toBe(0);
      expect(await place.run('import', file, '--skip-bad')).toMatchObject({ code: 0 });
      expect(await place.orders()).toHaveLength(wanted.length - 1);
    }),
    { numRuns: isNightly ? 60 : 7 },
  );
});

test.each([
  { line: '{"id":1,"petId":1,"quantity":1,"note":null}', reason: 'unknown property "note"' },
  { line: '{"id":1,"petId":1,"quantity":1,"__proto__":1}', reason: 'unknown property "__proto__"' },
  { line: '{"id":1,"petId":1,"quantity":[1]}', reason: 'quantity must be a single value' },
  { line: '{"id":1,"petId":1,"quantity":null}', reason: 'quantity is missing' },
  { line: '[{"id":1,"petId":1,"quantity":1}]', reason: 'it is not a JSON object' },
  { line: '{"id":1,"petId":1,"quantity":1},', reason: 'it is not a JSON object' },
  { line: '1', reason: 'it is not a JSON object' },
  { line: 'null', reason: 'it is not a JSON object' },
])('$line is a bad line of JSON', async ({ line, reason }) => {
  const place = new Place();
  const { code, out, err } = await place.run('import', place.write('orders.ndjson', `\n${line}`));
  expect(code).toBe(1);
  expect(out).toBe('1 orders read: 0 placed, 0 shipped, 0 cancelled, 0 already there, 1 bad\n');
  expect(err).toBe(
    `store-orders: line 2: ${reason}\n` +
      'store-orders: Nothing was imported. Correct these lines, or leave them out with --skip-bad.\n',
  );
});

test('numbers in JSON may be strings, and null means absent', async () => {
  const place = new Place();
  const line = '{"id":"9007199254740993","petId":"7","quantity":2,"shipDate":null,"complete":null}';
  expect(await place.run('import', place.write('orders.ndjson', line))).toMatchObject({ code: 0 });
  expect(await place.orders()).toEqual([
    { id: 9007199254740993n, petId: 7n, quantity: 2, shipDate: undefined, status: 'pending' },
  ]);
});

test('the columns of a CSV file may stand in any order, and some may be absent', async () => {
  const place = new Place();
  const file = place.write('orders.csv', 'quantity,id,petId\n2,1,7\n');
  expect(await place.run('import', file)).toMatchObject({ code: 0 });
  expect(await place.orders()).toMatchObject([{ id: 1n, petId: 7n, quantity: 2 }]);
});

test.each([
  { header: 'id,petId,quantity,colour', message: 'unknown property "colour"' },
  { header: 'id;petId;quantity', message: 'unknown property "id;petId;quantity"' },
  { header: 'id,petId,shipDate', message: 'quantity is missing' },
  { header: 'id,petId,quantity,id', message: 'a column stands in it twice' },
  { header: 'id,petId,"quantity', message: 'its quotes do not match' },
])('a CSV file with the header $header is refused', async ({ header, message }) => {
  const place = new Place();
  const file = place.write('orders.csv', `${header}\n1,2,3\n`);
  const { code, err } = await place.run('import', file, '--skip-bad');
  expect(code).toBe(1);
  expect(err).toContain(message);
  expect(await place.head()).toBe(0);
});

test('a row with too many or too few values is bad', async () => {
  const place = new Place();
  const file = place.write('orders.csv', 'id,petId,quantity\n1,2\n1,2,3,4\n');
  const { err } = await place.run('import', file);
  expect(err).toContain('line 2: it has 2 values, and the header has 3 columns');
  expect(err).toContain('line 3: it has 4 values, and the header has 3 columns');
});

test('a carriage return alone ends no line: no order behind it is left out without a word', async () => {
  const place = new Place();
  const ofOldMac = place.write('orders.csv', '"id","petId","quantity"\r1,7,1\r2,7,1\r');
  const refused = await place.run('import', ofOldMac);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toContain('The first line is not a header');
  const mixed = place.write('mixed.csv', 'id,petId,quantity\n"1",7,1\r2,7,1\n3,7,1\n');
  const { code, err } = await place.run('import', mixed);
  expect([code, await place.head()]).toEqual([1, 0]);
  expect(err).toContain('line 2: it has 5 values, and the header has 3 columns');
});

test('a file without a known extension requires --format', async () => {
  const place = new Place();
  const file = place.write('orders', '{"id":1,"petId":1,"quantity":1}\n');
  const { code, err } = await place.run('import', file);
  expect([code, err.includes('use --format')]).toEqual([1, true]);
  expect(await place.run('import', file, '--format', 'ndjson')).toMatchObject({ code: 0 });
  expect(await place.head()).toBe(1);
});

test('an empty file has no orders', async () => {
  const place = new Place();
  expect(await place.run('import', place.write('orders.csv', ''))).toEqual({
    code: 0,
    out: '0 orders read: 0 placed, 0 shipped, 0 cancelled, 0 already there, 0 bad\n',
    err: '',
  });
});

test('an unreadable file is refused with the reason', async () => {
  const place = new Place();
  const { code, err } = await place.run('import', place.file('none.csv'));
  expect([code, err.includes('none.csv cannot be read: ENOENT')]).toEqual([1, true]);
  expect(await place.run('import', place.folder, '--format', 'csv')).toMatchObject({ code: 1 });
});

test('a file without line breaks is refused', async () => {
  const place = new Place();
  const { code, err } = await place.run('import', place.write('x.ndjson', 'x'.repeat(3_000_000)));
  expect([code, err]).toEqual([
    1,
    'store-orders: A line is too long to be an order or an event.\n',
  ]);
});

test('a signal ends it after the lines that it has begun, and they are counted', async () => {
  const place = new Place();
  await place.run('import', place.write('first.csv', 'id,petId,quantity\n-1,7,1\n'));
  const rows = Array.from({ length: 40_000 }, (_, index) => `${index},7,1\n`).join('');
  const file = place.write('orders.csv', `id,petId,quantity\n${rows}`);
  const run = place.run('import', file);
  while ((await place.head()) === 1) await setTimeout(5);
  process.emit('SIGINT');
  const { code, out, err } = await run;
  const placed = (await place.head()) - 1;
  expect(placed).toBeLessThan(40_000);
  expect(out).toContain(`40000 orders read: ${placed} placed, `);
  expect(code).toBe(1);
  expect(err).toContain('Stopped before it was done.\nstore-orders: What is counted above is');
  expect((await place.run('import', file)).out).toContain(`: ${40_000 - placed} placed, `);
});

test('lines may span chunks of the file', async () => {
  const place = new Place();
  const row = (id: number) => `${id},5,1,${MONDAY},false,cancelled\r\n`;
  // By day a few chunks of 64 KiB, at night many.
  const count = isNightly ? 40_000 : 4_000;
  const rows = Array.from({ length: count }, (_, id) => row(id)).join('');
  const { out, err } = await place.run(
    'import',
    place.write('orders.csv', `${COLUMNS.join(',')}\r\n${rows}`),
  );
  expect(err).not.toContain('line');
  expect(out).toBe(
    `${count} orders read: ${count} placed, 0 shipped, ${count} cancelled, ` +
      '0 already there, 0 bad\n',
  );
});

test('a second file ships or cancels pending orders, and never reverts them', async () => {
  const place = new Place();
  const order = { id: 1n as OrderId, petId: 1n as PetId, quantity: 1, shipDate: MONDAY };
  const steps = [
    { status: 'pending', shipDate: MONDAY, code: 0, head: 1 },
    { status: 'shipped', shipDate: TUESDAY, code: 0, head: 2 },
    { status: 'pending', shipDate: MONDAY, code: 0, head: 2 },
    { status: 'shipped', shipDate: MONDAY, code: 1, head: 2 },
    { status: 'cancelled', shipDate: MONDAY, code: 1, head: 2 },
  ] as const;
  for (const { status, shipDate, code, head } of steps) {
    const file = place.write('orders.ndjson', ndjson([rowOf({ ...order, status, shipDate })]));
    expect(await place.run('import', file)).toMatchObject({ code });
    expect(await place.head()).toBe(head);
  }
  expect(await place.orders()).toEqual([{ ...order, status: 'shipped', shipDate: TUESDAY }]);
});

test('of many bad lines, the first twenty are reported', async () => {
  const place = new Place();
  const { err } = await place.run('import', place.write('x.ndjson', 'bad\n'.repeat(30)));
  expect(err.match(/line \d+: /g)).toHaveLength(20);
  expect(err).toContain('and 10 more lines');
});

test('events name the import as their author, its id, and the line', async () => {
  const place = new Place();
  await place.run('import', place.write('orders.csv', `${COLUMNS.join(',')}\n1,2,3,,,cancelled\n`));
  const store = await place.open();
  for await (const events of store.log.read(0)) {
    for (const { metadata } of events) {
      expect(metadata.by).toBe('import');
      expect(metadata.commandId).toMatch(/^[0-9a-f]{12}:2:[0-9a-f]{16}$/);
    }
  }
  await store.close();
});

test('on a terminal, a progress bar appears and is removed', async () => {
  const place = new Place();
  const file = place.write('orders.csv', 'id,petId,quantity\n1,1,1\n');
  const { code, out, err } = await place.runOnTerminal('import', file);
  expect(code).toBe(0);
  expect(out).toContain('1 placed');
  expect(err).toContain('Checking');
  expect(err).toContain('Importing');
});

const TWO = 'id,petId,quantity,status\n1,1,1,pending\n2,1,1,cancelled\n';

/** A log in which somebody else places order 2, for a pet, just before the first append of an import. */
function logWithOther(petId: PetId, by: string): MemoryEventLog {
  const theirs: NewEvent = {
    event: { type: 'OrderPlaced', orderId: 2n as OrderId, petId, quantity: 1 },
    version: 1,
    metadata: { at: MONDAY, by, commandId: 'other' },
  };
  const log = new MemoryEventLog();
  const append = log.append.bind(log);
  log.append = async (seen, decide) => {
    if ((await log.head()) === 0) await append(0, () => [theirs]);
    return append(seen, decide);
  };
  return log;
}

test("an order that a client has placed meanwhile under a file's id is not changed", async () => {
  const place = new Place(logWithOther(99n as PetId, 'other'));
  const { code, out, err } = await place.run('import', place.write('orders.csv', TWO));
  expect([code, out]).toEqual([
    1,
    '2 orders read: 1 placed, 0 shipped, 0 cancelled, 0 already there, 0 bad\n',
  ]);
  expect(err).toContain('line 3: the order has changed since it was checked (order_exists)');
  expect(await place.orders()).toMatchObject([
    { id: 1n, petId: 1n, status: 'pending' },
    { id: 2n, petId: 99n, status: 'pending' },
  ]);
});

test('orders that a second import of the file has placed meanwhile are there already', async () => {
  const place = new Place(logWithOther(1n as PetId, 'import'));
  expect(
    await place.run('import', place.write('orders.csv', 'id,petId,quantity\n1,1,1\n2,1,1\n')),
  ).toEqual({
    code: 0,
    out: '2 orders read: 1 placed, 0 shipped, 0 cancelled, 1 already there, 0 bad\n',
    err: '',
  });
});

test('a log that fails ends the import, which can be run again', async () => {
  const log = new MemoryEventLog();
  const append = log.append;
  log.append = async () => ({ kind: 'unknown', cause: new Error('the disk is gone') });
  const place = new Place(log);
  const file = place.write('orders.csv', TWO);
  const { code, out, err } = await place.run('import', file);
  expect([code, out]).toEqual([
    1,
    '2 orders read: 0 placed, 0 shipped, 0 cancelled, 0 already there, 0 bad\n',
  ]);
  expect(err).toContain('store-orders: the disk is gone\n');
  expect(err).toContain('Run the same command again');
  log.append = append;
  expect(await place.run('import', file)).toMatchObject({ code: 0, err: '' });
  expect(await log.head()).toBe(3);
});
