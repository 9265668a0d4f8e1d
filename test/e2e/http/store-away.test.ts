import { OutgoingMessage } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { acceptKey } from '../../../src/app/keys/first-key.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import { DamagedStore, type Store, StoreUnavailable } from '../../../src/app/ports/store.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { readAll } from '../../support/events.ts';
import { ask, expectError } from '../../support/http.ts';
import { listening } from '../../support/listening.ts';
import { bearer } from '../../support/service.ts';
import { listenerOn } from '../../support/targets.ts';

const LIST = '/v1/store/orders';

/** An API on a store whose log or whose keys cannot be read any more once they are away. */
async function given(cause: Error = new StoreUnavailable(new Error('the network is down'))) {
  const store = await openMemoryStore();
  const away = { log: false, keys: false };
  const unless = (isAway: boolean) => {
    if (isAway) throw cause;
  };
  const key = mintKeyText();
  await acceptKey(store.keys, key, now());
  const { log, keys } = store;
  const shown: Store = {
    ...store,
    log: {
      async head() {
        unless(away.log);
        return log.head();
      },
      read: (after) => log.read(after),
      watch: (grown) => log.watch(grown),
      close: () => log.close(),
    },
    keys: {
      async find(id) {
        unless(away.keys);
        return keys.find(id);
      },
      list: () => keys.list(),
      count: () => keys.count(),
      add: (added) => keys.add(added),
      revoke: (id, at) => keys.revoke(id, at),
      limit: (id, limits) => keys.limit(id, limits),
    },
  };
  const { address } = await listening(listenerOn(shown));
  const send = (method: string, path: string, body?: object) =>
    ask(address, method, path, {
      headers: { ...bearer(key), 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  return { store, away, send };
}

describe('While the log cannot be read,', () => {
  const order = { petId: 7, quantity: 1 };

  it('nothing that might be out of date is shown', async () => {
    const { send, away } = await given();
    await send('POST', LIST, order);
    away.log = true;
    for (const path of [
      LIST,
      `${LIST}/1`,
      '/v1/pets/7',
      '/v2/store/orders',
      '/v2/store/orders/1',
    ]) {
      expectError(await send('GET', path), 503, 'service_unavailable');
    }
  });

  it('a command that is done and cannot be shown is never said to have changed nothing', async () => {
    const { send, away, store } = await given();
    await send('POST', LIST, order);
    away.log = true;
    const shipped = await send('PUT', `${LIST}/1/shipment`, { shipDate: '2026-01-01T00:00:00Z' });
    expectError(shipped, 503, 'outcome_unknown');
    const orderV2 = { ...order, petId: String(order.petId) };
    expectError(await send('POST', '/v2/store/orders', orderV2), 503, 'outcome_unknown');
    expect((await send('POST', LIST, order)).status).toBe(201);
    expect((await send('DELETE', `${LIST}/2`)).status).toBe(204);
    expect(await readAll(store.log)).toHaveLength(5);
  });
});

it('While the keys cannot be read, no key is reported as invalid', async () => {
  const { send, away } = await given();
  away.keys = true;
  for (const path of [LIST, '/v1/nowhere', '/v1/%zz']) {
    expectError(await send('GET', path), 503, 'service_unavailable');
  }
  expectError(await send('DELETE', `${LIST}/1`), 503, 'service_unavailable');
});

it('While every request is refused, one whose key cannot be read gets the reason, too', async () => {
  const { send, away } = await given(new DamagedStore('the row "x" of api_keys'));
  away.keys = true;
  for (const [method, path] of [
    ['GET', LIST],
    ['DELETE', `${LIST}/1`],
  ] as const) {
    const answer = await send(method, path);
    expectError(answer, 503, 'service_unavailable');
    expect(String(answer.body)).toContain(
      '"message":"The service has found its store damaged: nothing was changed."',
    );
  }
});

it('A response that fails half way is cut off, so that it does not look complete', async () => {
  const { store, send } = await given();
  const orders = Array.from({ length: 6_000 }, (_, id) => ({
    type: 'PlaceOrder',
    orderId: BigInt(id),
    petId: 7n,
    quantity: 1,
  }));
  await store.writer.execute(
    orders.map((command, n) => ({ command, by: 'test', commandId: `${n}` }) as Submission),
  );
  expect((await send('GET', LIST)).status).toBe(200);
  const real = OutgoingMessage.prototype.write;
  const write = vi.spyOn(OutgoingMessage.prototype, 'write');
  write.mockImplementation(function (this: OutgoingMessage, ...given) {
    if (write.mock.calls.length > 1) throw new Error('out of memory');
    return real.apply(this, given as Parameters<typeof real>);
  });
  onTestFinished(() => write.mockRestore());
  await expect(send('GET', LIST)).rejects.toThrow();
  expect(write).toHaveBeenCalledTimes(2);
  write.mockRestore();
  expect((await send('GET', LIST)).status).toBe(200);
});
