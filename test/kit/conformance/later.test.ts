import { expect, test } from 'vitest';
import { conform } from '../../kit-mutants/contract/conform.ts';
import { type Fault, fail, watching, withEachRow } from '../../kit-mutants/contract/faulty.ts';
import { Ledger } from './ledger.ts';

/** Ships an order whose date is no date, and answers about it accordingly ever after. */
const SHIPS_WITHOUT_A_DATE: Fault = {
  name: 'a shipment without a date is carried out',
  http(app) {
    const shipped = new Set<string>();
    const listing = withEachRow(app, (row) => {
      return shipped.has(`${row.id}`) ? { ...row, complete: true } : row;
    });
    return watching(listing, (exchange) => {
      const { method, status, id, body } = exchange;
      if (method === 'PUT' && status === 400 && body.includes('shipDate')) {
        shipped.add(id);
        exchange.status = 200;
        exchange.body = `{"id":${id},"petId":7,"quantity":1,"complete":true}`;
      }
      const isTooLate = method === 'DELETE' && status === 204 && shipped.has(id);
      if (isTooLate) fail(exchange, 409, 'order_already_shipped');
    });
  },
};

test('a check that has failed makes no later one fail for the same reason', async () => {
  const { checks } = await conform(SHIPS_WITHOUT_A_DATE, { seed: 1, orders: 0, pause: 0 });
  const failed = checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
  expect(failed).toEqual(['a shipment without a date is a 400 and ships nothing']);
});

test('an order of a check that has failed is still expected to stay as it is', () => {
  const ledger = new Ledger();
  const placed = { id: 1n, petId: 7n, quantity: 1, complete: false };
  ledger.place(placed);
  const shipped = { ...placed, complete: true };
  expect(ledger.differenceIn(1n, shipped, false)).toMatch('should have false');
  ledger.expect(shipped);
  expect(ledger.differenceIn(1n, shipped, false)).toBeUndefined();
  expect(ledger.differenceIn(1n, placed, false)).toMatch('should have true');
  expect(ledger.differenceIn(1n, undefined, false)).toBe('order 1 is not in the list');
});
