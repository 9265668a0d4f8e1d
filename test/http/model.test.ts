import fc, { type Arbitrary, type AsyncCommand } from 'fast-check';
import { expect, test } from 'vitest';
import { int64s } from '../support/arbitraries.ts';
import { Beside } from '../support/beside.ts';
import { exactJson, expectError } from '../support/http.ts';
import { Service } from '../support/service.ts';

/**
 * Anything that clients, imports and restarts can do, in any order, against a plain table that
 * shares no code with the service.
 */

const LIST = '/v1/store/orders';
const LAST_ID = 9_223_372_036_854_775_807n;

interface Row {
  petId: bigint;
  quantity: number;
  shipDate?: string;
  status: 'pending' | 'shipped' | 'cancelled';
}
type Table = Map<bigint, Row>;
type Step = AsyncCommand<Table, Service>;

/** An order as the service should show it. */
function shown(id: bigint, { petId, quantity, shipDate, status }: Row) {
  const date = shipDate === undefined ? {} : { shipDate };
  return { id, petId, quantity: BigInt(quantity), ...date, complete: status === 'shipped' };
}

function nextId(table: Table): bigint {
  let id = 1n;
  for (const taken of table.keys()) if (taken >= id) id = taken + 1n;
  if (id <= LAST_ID) return id;
  for (id = LAST_ID; table.has(id); ) id -= 1n;
  return id;
}

/** Date-times as clients write them, and as they come back. */
const DATES = [
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
  ['2026-01-01T01:30:00+01:30', '2026-01-01T00:00:00.000Z'],
  ['2025-12-31T23:59:59.9999-00:00', '2025-12-31T23:59:59.999Z'],
  ['0001-01-01t00:00:00.5z', '0001-01-01T00:00:00.500Z'],
] as const;
const dates = fc.constantFrom(...DATES);
const quantities = fc.oneof(fc.constantFrom(1, 2_147_483_647), fc.integer({ min: 1, max: 9 }));

/** Mostly an order that there is; sometimes any id at all. */
type Pick = (table: Table) => bigint;
const picks: Arbitrary<Pick> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.nat().map(
      (n): Pick =>
        (table) =>
          [...table.keys()][n % table.size] ?? 1n,
    ),
  },
  { weight: 1, arbitrary: int64s.map((id) => () => id) },
);

function step(name: string, run: Step['run'], check: Step['check'] = () => true): Step {
  return { check, run, toString: () => name };
}

function place(petId: bigint, quantity: number, date?: (typeof DATES)[number]): Step {
  return step(`place(${petId}, ${quantity}, ${date?.[0]})`, async (table, service) => {
    const shipDate = date === undefined ? '' : `, "shipDate": "${date[0]}"`;
    const body = `{"petId": ${petId}, "quantity": ${quantity}${shipDate}}`;
    const answer = await service.send('POST', LIST, body);
    const id = nextId(table);
    const row: Row = { petId, quantity, status: 'pending', ...(date && { shipDate: date[1] }) };
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${LIST}/${id}`);
    expect(exactJson(answer.text)).toStrictEqual(shown(id, row));
    table.set(id, row);
  });
}

function ship(pick: Pick, [sent, date]: (typeof DATES)[number]): Step {
  return step(`ship(${sent})`, async (table, service) => {
    const id = pick(table);
    const row = table.get(id);
    const answer = await service.send('PUT', `${LIST}/${id}/shipment`, { shipDate: sent });
    if (row === undefined) expectError(answer, 404, 'order_not_found');
    else if (row.status === 'cancelled') expectError(answer, 409, 'order_cancelled');
    else if (row.status === 'shipped' && row.shipDate !== date) {
      expectError(answer, 409, 'order_already_shipped');
    } else {
      Object.assign(row, { shipDate: date, status: 'shipped' });
      expect(answer.status).toBe(200);
      expect(exactJson(answer.text)).toStrictEqual(shown(id, row));
    }
  });
}

function cancel(pick: Pick): Step {
  return step('cancel', async (table, service) => {
    const id = pick(table);
    const row = table.get(id);
    const answer = await service.ask('DELETE', `${LIST}/${id}`);
    if (row === undefined) expectError(answer, 404, 'order_not_found');
    else if (row.status === 'shipped') expectError(answer, 409, 'order_already_shipped');
    else {
      row.status = 'cancelled';
      expect(answer).toMatchObject({ status: 204, text: '' });
    }
  });
}

function get(pick: Pick): Step {
  return step('get', async (table, service) => {
    const id = pick(table);
    const row = table.get(id);
    const answer = await service.ask('GET', `${LIST}/${id}`);
    if (row === undefined) expectError(answer, 404, 'order_not_found');
    else expect(exactJson(answer.text)).toStrictEqual(shown(id, row));
  });
}

async function expectList(table: Table, service: Service): Promise<void> {
  const rows = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  const answer = await service.ask('GET', LIST);
  expect(exactJson(answer.text)).toStrictEqual(rows.map(([id, row]) => shown(id, row)));
}

function importOrder(id: bigint, petId: bigint, quantity: number): Step {
  return step(
    `import(${id})`,
    async (table, service) => {
      await using beside = new Beside(service.databaseFile);
      await beside.place([{ id, petId, quantity }]);
      table.set(id, { petId, quantity, status: 'pending' });
    },
    (table) => !table.has(id),
  );
}

const list = step('list', expectList);
const restart = (signal: NodeJS.Signals) =>
  step(`restart(${signal})`, (_table, service) => service.restart(signal));

const steps: Arbitrary<Step>[] = [
  fc.tuple(int64s, quantities, fc.option(dates, { nil: undefined })).map((its) => place(...its)),
  fc.tuple(picks, dates).map((its) => ship(...its)),
  picks.map(cancel),
  picks.map(get),
  fc.tuple(int64s, int64s, quantities).map((its) => importOrder(...its)),
  // Seldom: starting takes as long as hundreds of requests.
  fc.oneof(
    { weight: 7, arbitrary: fc.constant(list) },
    { weight: 1, arbitrary: fc.constantFrom(restart('SIGTERM'), restart('SIGKILL')) },
  ),
];

test('Whatever happens to orders, in any order, every answer is that of the table', async () => {
  const histories = fc.commands(steps, { size: '+1', maxCommands: 120 });
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      await using service = await Service.start();
      const table: Table = new Map();
      await fc.asyncModelRun(() => ({ model: table, real: service }), history);
      await expectList(table, service);
      await service.restart('SIGKILL');
      await expectList(table, service);
    }),
    { numRuns: 8 },
  );
});
