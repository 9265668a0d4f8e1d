import { expect, test } from 'vitest';
import { failedIn, served } from '../../kit-mutants/contract/conform.ts';
import { type Fault, fail } from '../../kit-mutants/contract/faulty.ts';
import { changingAnswers } from '../../kit-mutants/faults.ts';
import { bodyOf, type Placing, type Server } from '../targets/orders-api.ts';
import { runConformance } from './conformance.ts';
import { idempotencyLater } from './idempotency.ts';
import { later } from './later.ts';
import { Ledger } from './ledger.ts';
import { NothingToCheck, type Trial } from './trial.ts';

const SOUND: Fault = { name: 'no fault at all' };

/** Refuses the method before it looks at the key: the contract has no such operation. */
const NO_SINGLE_ORDERS: Fault = {
  name: 'a single order cannot be got',
  http: (app) =>
    changingAnswers(app, (exchange) => {
      const isOne = exchange.method === 'GET' && /orders\/\d+$/.test(exchange.path);
      if (isOne) fail(exchange, 405, 'method_not_allowed');
    }),
};

async function place(placing: Placing, { baseUrl, key }: Server): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = bodyOf(placing);
  const answer = await fetch(`${baseUrl}/store/orders`, { method: 'POST', headers, body });
  return /\d+$/.exec(answer.headers.get('location') ?? '')?.[0] ?? '';
}

async function ship(
  { orderId, shipDate }: { readonly orderId: bigint; readonly shipDate: string },
  { baseUrl, key }: Server,
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const url = `${baseUrl}/store/orders/${orderId}/shipment`;
  const { ok } = await fetch(url, { method: 'PUT', headers, body: `{"shipDate":"${shipDate}"}` });
  if (!ok) throw new Error('it does not ship');
}

test('a check that has nothing to try is left out, and does not count as passed', async () => {
  const report = await served(SOUND, (given) => runConformance({ ...given, readOnly: true }));
  expect(report.checks).toContainEqual(
    expect.objectContaining({
      name: 'one order is shown as the list shows it',
      ...{ result: 'skipped', reason: 'the list is empty' },
    }),
  );
  const nothing = { named: [], ledger: new Ledger(), lacking: new Map() };
  const api = { list: async () => [], client: { pause: async () => undefined } };
  const trial = { ...nothing, api } as unknown as Trial;
  for (const check of [...later, idempotencyLater]) {
    if (check.name.startsWith('the list has every order')) continue;
    await expect(check.run(trial), check.name).rejects.toThrow(NothingToCheck);
  }
});

test('a server without single orders raises no alarm, though an adapter places its first one', async () => {
  const report = await served(NO_SINGLE_ORDERS, (given) => {
    const options = { adapter: { place, ship }, contractOnly: true, runs: 1, orders: 0, pause: 0 };
    return runConformance({ ...given, ...options });
  });
  expect(failedIn(report)).toEqual([]);
});
