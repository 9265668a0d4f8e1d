import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { assertHolds } from '../../kit/check.ts';
import type { Target } from '../../kit/target.ts';
import { clientSession } from '../../support/client-target.ts';
import { CuttingProxy } from '../../support/cutting-proxy.ts';
import { Service } from '../../support/service.ts';

/** The testing kit at the service, with the client between them. */

let service: Service;

beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service[Symbol.asyncDispose]());

function target(url: string, version: 1 | 2): Target {
  const patient = { retries: Infinity, timeoutMs: Infinity };
  const store = new StoreOrders({ url, key: service.key, ...patient });
  return { name: `client, version ${version}`, open: () => clientSession(store, version) };
}

describe.each([1, 2] as const)('Through the client of version %i', (version) => {
  test('every answer is that of the table', async () => {
    const { steps } = await assertHolds(target(service.address, version), {
      runs: 40,
      together: 4,
    });
    expect(steps).toBeGreaterThan(100);
  });

  test('that stays so while connections are cut', async () => {
    const port = Number(new URL(service.address).port);
    await using proxy = await CuttingProxy.start(port, 1, 0.05);
    await assertHolds(target(proxy.url, version), { runs: 12, together: 4 });
    expect(proxy.cuts).toBeGreaterThan(0);
  });
});
