import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { now } from '../../../src/app/clock.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { acceptKey } from '../../../src/app/keys/first-key.ts';
import { type Order, StoreOrders, StoreOrdersError } from '../../../src/client/client.ts';
import { openMemoryStore } from '../../../src/infra/memory/store.ts';
import { listenerOn } from '../../support/targets.ts';

/** The operations of the client, at the HTTP application on a store in memory. */

const MAX = 9223372036854775807n;
const SHIPPED = '2026-01-02T00:00:00.000Z';

let store: StoreOrders;
let close: () => Promise<void>;

beforeAll(async () => {
  const memory = await openMemoryStore();
  const key = mintKeyText();
  await acceptKey(memory.keys, key, now());
  const server = createServer(listenerOn(memory));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = new StoreOrders({ url, key });
  close = async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
    await memory.close();
  };
});
afterAll(() => close());

const idsOf = async (orders: AsyncIterable<Order>) => {
  return (await Array.fromAsync(orders)).map(({ id }) => id);
};

describe('Ids', () => {
  it('of 64 bits are exact in both versions, given as bigint or string', async () => {
    const [one, two] = [
      await store.place({ petId: MAX, quantity: 1 }),
      await store.v1.place({ petId: '-9223372036854775808', quantity: 2 }),
    ];
    expect(one).toMatchObject({
      petId: `${MAX}`,
      status: 'pending',
      etag: expect.stringMatching(/-1"$/),
    });
    expect(await store.get(BigInt(two.id))).toMatchObject({ id: two.id, petId: `${-MAX - 1n}` });
    expect(await store.v1.get(one.id)).toStrictEqual({
      ...{ id: one.id, petId: `${MAX}`, quantity: 1, complete: false, etag: one.etag },
    });
    const listed = await store.v1.list();
    expect(listed.map(({ petId }) => petId)).toEqual(
      expect.arrayContaining([`${MAX}`, `${-MAX - 1n}`]),
    );
    expect(await idsOf(store.list({ petId: MAX }))).toEqual([one.id]);
  });

  it.each([7, 2 ** 53, '07', '1e3', '', ' 1', '1/../2', 'x', null, undefined])(
    'are not %j',
    async (id) => {
      const calls = [
        () => store.get(id as never),
        () => store.v1.cancel(id as never),
        () => store.place({ petId: id as never, quantity: 1 }),
      ];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({ code: 'invalid_request', attempts: 0 });
      }
    },
  );
});

describe('Commands', () => {
  it('ship and cancel, and refuse with a code', async () => {
    const { id } = await store.place({ petId: 1n, quantity: 1, shipDate: new Date(SHIPPED) });
    expect(await store.ship(id, new Date(SHIPPED))).toMatchObject({
      id,
      status: 'shipped',
      shipDate: SHIPPED,
    });
    await expect(store.cancel(id)).rejects.toMatchObject({
      code: 'order_already_shipped',
      status: 409,
    });
    const other = await store.v1.place({ petId: 1n, quantity: 1 });
    const done = await store.cancel(other.id);
    expect(await store.v1.cancel(other.id)).toStrictEqual(done);
    expect(done.position).toBeGreaterThan(0);
    await expect(store.v1.ship(other.id, SHIPPED)).rejects.toMatchObject({
      code: 'order_cancelled',
    });
    await expect(store.cancel(404n)).rejects.toBeInstanceOf(StoreOrdersError);
  });

  it('are carried out only on the version that ifMatch names', async () => {
    const { id, etag } = await store.place({ petId: 1n, quantity: 1 });
    await store.ship(id, SHIPPED, { ifMatch: etag });
    const again = store.ship(id, SHIPPED, { ifMatch: etag });
    await expect(again).rejects.toMatchObject({ code: 'precondition_failed', status: 412 });
  });

  it('under the same idempotencyKey are one', async () => {
    const place = () => store.place({ petId: 2n, quantity: 1 }, { idempotencyKey: 'mine' });
    expect(await place()).toStrictEqual(await place());
  });
});

describe('An update', () => {
  it('decides on the order as it is, and again if it has changed in between', async () => {
    const { id } = await store.place({ petId: 1n, quantity: 1 });
    const seen: string[] = [];
    const order = await store.update(id, async ({ status }) => {
      seen.push(status);
      if (status !== 'pending') return undefined;
      await store.ship(id, SHIPPED);
      return { cancel: true };
    });
    expect(seen).toEqual(['pending', 'shipped']);
    expect(order).toMatchObject({ id, status: 'shipped' });
  });

  it('returns the order after the change', async () => {
    const [one, two] = [
      await store.place({ petId: 1n, quantity: 1 }),
      await store.place({ petId: 1n, quantity: 1 }),
    ];
    expect(await store.update(one.id, () => ({ cancel: true }))).toMatchObject({
      status: 'cancelled',
    });
    expect(await store.update(two.id, () => ({ ship: SHIPPED }))).toMatchObject({
      status: 'shipped',
    });
  });

  it.each([{}, { cancel: false }, { cancel: undefined }])(
    'cancels nothing by a decision such as %j',
    async (change) => {
      const { id } = await store.place({ petId: 1n, quantity: 1 });
      const update = store.update(id, () => change as never);
      await expect(update).rejects.toMatchObject({ code: 'invalid_request' });
      expect(await store.get(id)).toMatchObject({ status: 'pending' });
    },
  );

  it('ends with the refusal of a decision that the order does not allow', async () => {
    const { id } = await store.place({ petId: 1n, quantity: 1 });
    await store.ship(id, SHIPPED);
    let decisions = 0;
    const update = store.update(id, () => {
      decisions += 1;
      return { cancel: true };
    });
    await expect(update).rejects.toMatchObject({ code: 'order_already_shipped' });
    expect(decisions).toBe(1);
  });
});

test('The list comes one by one or in pages, filtered, in either order, now or as of a moment', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await store.place({ petId: 77n, quantity: 1 })).id);
  const { position } = await store.cancel(ids[0] as string);
  expect(await idsOf(store.list({ petId: 77n }))).toEqual(ids);
  expect(await idsOf(store.list({ petId: 77n, limit: 2, order: 'desc' }))).toEqual(
    ids.toReversed(),
  );
  expect(await idsOf(store.list({ id: [ids[3] as string, BigInt(ids[1] as string)] }))).toEqual([
    ids[1],
    ids[3],
  ]);
  expect(await idsOf(store.list({ petId: 77n, status: 'pending', complete: false }))).toEqual(
    ids.slice(1),
  );
  const before = store.list({ petId: 77n, status: 'pending', asOf: position - 1, limit: 2 });
  const pages = await Array.fromAsync(before.pages());
  expect(pages.map(({ data, asOf }) => [data.length, asOf])).toEqual([
    [2, position - 1],
    [2, position - 1],
    [1, position - 1],
  ]);
  // Each loop starts anew.
  expect(await idsOf(before)).toEqual(ids);
  const { next } = pages[0] as { next: string };
  const rest = store.list({ petId: 77n, status: 'pending', asOf: position - 1, after: next });
  expect(await idsOf(rest)).toEqual(ids.slice(2));
  const [first] = await Array.fromAsync(store.list({ placedTo: new Date(0), limit: 1 }).pages());
  expect(first).toStrictEqual({ data: [], next: null });
});

test('The events of an order and of the log are read to the end', async () => {
  const { id } = await store.place({ petId: 1n, quantity: 3 });
  const { position } = await store.cancel(id);
  expect(await store.events.of(id)).toMatchObject([
    { type: 'OrderPlaced', data: { orderId: id, petId: '1', quantity: 3 } },
    { type: 'OrderCancelled', data: { orderId: id }, position },
  ]);
  const all = await Array.fromAsync(store.events.list({ limit: 3 }));
  expect(all.map((event) => event.position)).toEqual(
    Array.from({ length: position }, (_, at) => at + 1),
  );
  const cancellations = await Array.fromAsync(
    store.events.list({ type: 'OrderCancelled', after: position - 1 }),
  );
  expect(cancellations.map(({ data }) => data.orderId)).toEqual([id]);
});

test('A receipt is fetched once, and verified with the key', async () => {
  const { id } = await store.place({ petId: 1n, quantity: 1 });
  const { position } = await store.cancel(id);
  const receipt = store.receipt(id);
  expect(await receipt.text()).toBe(await receipt.text());
  expect(JSON.parse(await store.receipt({ position }).text()).record).toContain(
    `"orderId":"${id}"`,
  );
  const other =
    'store-orders/0123456789abcdef+fb71e6ea+AepKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIs';
  expect(await receipt.verify(other)).toMatchObject({ ok: false });
  const { text: key } = await store.request({ method: 'GET', path: '/public-key' });
  // As a file of it has blanks around it.
  expect(await receipt.verify(` ${key}\n`)).toMatchObject({ ok: true, value: { position } });
  expect(await store.checkpoint()).toMatch(/^test\n\d+\n/);
  // The log has no witnesses.
  const unwitnessed = { code: 'not_found', message: expect.stringMatching('has no witnesses') };
  const witnessed = { witnessed: true };
  await expect(store.checkpoint(witnessed)).rejects.toMatchObject(unwitnessed);
  await expect(store.receipt(id, witnessed).text()).rejects.toMatchObject(unwitnessed);
  expect(await store.epochs()).toStrictEqual({ epoch: '0', breaks: [] });
});

test.each(['../../key?', '1/../../../key#', '', 'x'])(
  'A receipt is of no other path than its position: %j',
  async (position) => {
    await expect(store.receipt({ position }).text()).rejects.toBeInstanceOf(StoreOrdersError);
  },
);

test('A receipt that there was not is fetched again', async () => {
  const { id } = await store.place({ petId: 1n, quantity: 1 });
  const receipt = store.receipt(id);
  await expect(receipt.text()).rejects.toMatchObject({ code: 'not_found' });
  await store.cancel(id);
  expect(JSON.parse(await receipt.text()).record).toContain(`"orderId":"${id}"`);
});

describe('Many orders at once', () => {
  it('each have an outcome of their own', async () => {
    const { results } = await store.batchPlace([
      { petId: 88n, quantity: 1, shipDate: new Date(SHIPPED) },
      { petId: `${MAX}`, quantity: 2 },
    ]);
    const [one = '', two = ''] = results.map(({ orderId }) => orderId);
    expect(await store.get(two)).toMatchObject({ petId: `${MAX}`, quantity: 2 });
    await store.ship(one, SHIPPED);
    const answer = await store.batchCancel([one, BigInt(two)], { reason: 'duplicate' });
    expect(answer).toMatchObject({
      results: [
        { orderId: one, status: 409, code: 'order_already_shipped' },
        { orderId: two, status: 204 },
      ],
      succeeded: 1,
      failed: 1,
    });
    expect(await store.get(two)).toMatchObject({ cancelReason: 'duplicate' });
  });

  it('are all refused if one of them is, where that is wanted', async () => {
    const { id } = await store.place({ petId: 1n, quantity: 1 });
    const refused = store.batchCancel([id, '404'], { atomic: true });
    await expect(refused).rejects.toMatchObject({
      code: 'batch_refused',
      results: [{ code: 'batch_refused' }, { code: 'order_not_found' }],
    });
    expect(await store.get(id)).toMatchObject({ status: 'pending' });
    const { succeeded } = await store.batchPlace([{ petId: 1n, quantity: 1 }], { atomic: true });
    expect(succeeded).toBe(1);
  });
});

test('A cancellation may have a reason', async () => {
  const { id, etag } = await store.place({ petId: 1n, quantity: 1 });
  const { position } = await store.cancel(id, { reason: 'out_of_stock', ifMatch: etag });
  expect((await store.events.of(id)).at(-1)).toMatchObject({
    position,
    data: { orderId: id, reason: 'out_of_stock' },
  });
  const other = store.cancel(id, { reason: 'other' });
  await expect(other).rejects.toMatchObject({ code: 'order_cancelled' });
  const { id: next } = await store.place({ petId: 1n, quantity: 1 });
  const updated = await store.update(next, () => ({ cancel: 'fraud_suspected' }));
  expect(updated.cancelReason).toBe('fraud_suspected');
});

test('Orders and events are counted', async () => {
  const { position } = await store.cancel((await store.place({ petId: 1n, quantity: 1 })).id);
  const { orders, asOf } = await store.summary();
  expect(asOf).toBe(position);
  expect(orders.total).toBe(orders.pending + orders.shipped + orders.cancelled);
  expect((await store.summary({ asOf: position - 1 })).orders.pending).toBe(orders.pending + 1);
  const { data } = await store.activity({ bucket: 'hour' });
  expect(data.reduce((sum, { placed }) => sum + placed, 0)).toBe(orders.total);
  expect((await store.activity({ from: new Date(0), to: new Date(1) })).data).toHaveLength(1);
});

test('A client may ask what its key allows, and send any other request', async () => {
  expect(await store.whoAmI()).toMatchObject({ scopes: expect.arrayContaining(['audit:read']) });
  const path = '/v2/store/proofs/inclusion';
  const answer = await store.request({ method: 'GET', path, query: { position: '1', size: '1' } });
  expect(JSON.parse(answer.text)).toStrictEqual({ position: 1, size: 1, proof: [] });
});
