import { expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { STATUSES } from '../../../src/domain/order-lives.ts';
import { CuttingProxy } from '../../support/cutting-proxy.ts';
import { isNightly, seedFrom } from '../../support/nightly.ts';
import { Random } from '../../support/random.ts';
import { Service } from '../../support/service.ts';

/**
 * Orders through a network that breaks. `CUTS` is the number of cut connections, and `CUTS_SEED` repeats
 * them.
 */
const CUTS = Number(process.env.CUTS ?? (isNightly ? 100 : 40));
const SEED = seedFrom('CUTS_SEED');
const CLIENTS = 8;

test(`After ${CUTS} random cuts of the network there is exactly one order each (seed ${SEED})`, async () => {
  await using service = await Service.start();
  const port = Number(new URL(service.address).port);
  await using proxy = await CuttingProxy.start(port, SEED, 0.3);
  const patient = { key: service.key, retries: Infinity, timeoutMs: Infinity };
  const store = new StoreOrders({ url: proxy.url, ...patient });
  const answered = new Map<string, { id: string; status: string }>();
  let pets = 0;
  const work = async (client: number) => {
    const random = new Random(SEED + client);
    while (proxy.cuts < CUTS) {
      const petId = `${++pets}`;
      const { id } = await store.place({ petId, quantity: 1 });
      const status = random.oneOf(STATUSES);
      if (status === 'shipped') await store.ship(id, '2026-01-02T00:00:00Z');
      if (status === 'cancelled') await store.cancel(id);
      answered.set(petId, { id, status });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
  console.log(`${answered.size} orders, ${proxy.cuts} cuts, seed ${SEED}`);

  const straight = new StoreOrders({ url: service.address, key: service.key });
  const recorded = await Array.fromAsync(straight.list({ limit: 1_000 }));
  const told = new Map(recorded.map(({ petId, id, status }) => [petId, { id, status }]));
  expect(recorded).toHaveLength(answered.size);
  expect(told).toEqual(answered);
  // No command was recorded twice.
  const changed = [...answered.values()].filter(({ status }) => status !== 'pending');
  const events = await Array.fromAsync(straight.events.list({ limit: 1_000 }));
  expect(events).toHaveLength(answered.size + changed.length);
});

test('A list and the log are read completely through a network that breaks', async () => {
  await using service = await Service.start();
  const straight = new StoreOrders({ url: service.address, key: service.key });
  for (let n = 1; n <= 60; n += 1) await straight.place({ petId: `${n}`, quantity: 1 });
  const port = Number(new URL(service.address).port);
  await using proxy = await CuttingProxy.start(port, SEED, 0.2);
  const store = new StoreOrders({ url: proxy.url, key: service.key, retries: Infinity });
  const all = Array.from({ length: 60 }, (_, n) => `${n + 1}`);
  // Where it cuts is random, so one round in a hundred meets no cut.
  for (let round = 0; proxy.cuts === 0 && round < 20; round += 1) {
    const listed = await Array.fromAsync(store.list({ limit: 7 }));
    expect(listed.map(({ petId }) => petId)).toEqual(all);
    const positions: number[] = [];
    for await (const { position } of store.events.follow()) {
      positions.push(position);
      if (position === 60) break;
    }
    expect(positions).toEqual(all.map(Number));
  }
  expect(proxy.cuts).toBeGreaterThan(0);
});
