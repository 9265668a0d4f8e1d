import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import { exactJson, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const CANCEL = '/v2/store/orders:batchCancel';
const PLACE = '/v2/store/orders:batchPlace';
const ORDERS = '/v2/store/orders';

type Headers = Record<string, string>;

const send = (path: string, body: unknown, headers: Headers = {}) =>
  service.send('POST', path, body as object, { headers });

async function done(path: string, body: unknown, headers: Headers = {}) {
  const answer = await send(path, body, headers);
  expect(answer.status, answer.text).toBe(200);
  return { ...JSON.parse(answer.text), headers: answer.headers, text: answer.text };
}

const statusOf = async (id: string) =>
  JSON.parse((await service.ask('GET', `${ORDERS}/${id}`)).text).status;

async function shippedOrder(): Promise<string> {
  const id = await placeOrder(service);
  await service.send('PUT', `${ORDERS}/${id}/shipment`, { shipDate: '2026-01-02T00:00:00Z' });
  return id;
}

describe('batchCancelOrders', () => {
  it('answers what became of each order, in the order of the request', async () => {
    const [first, second, shipped] = [
      await placeOrder(service),
      await placeOrder(service),
      await shippedOrder(),
    ];
    const head = await beside.head();
    const orderIds = [second, shipped, '4711', first, second];
    const { results, succeeded, failed, headers } = await done(CANCEL, { orderIds });
    expect(results).toStrictEqual([
      { orderId: second, status: 204, position: head + 1 },
      {
        orderId: shipped,
        status: 409,
        code: 'order_already_shipped',
        message: 'The order has already shipped.',
      },
      {
        orderId: '4711',
        status: 404,
        code: 'order_not_found',
        message: 'There is no order with this id.',
      },
      { orderId: first, status: 204, position: head + 2 },
      { orderId: second, status: 204, position: head + 1 },
    ]);
    expect([succeeded, failed]).toStrictEqual([3, 2]);
    expect(headers['event-position']).toBe(String(head + 2));
    expect(await beside.head()).toBe(head + 2);
    expect(await statusOf(first)).toBe('cancelled');
  });

  it('cancels for one reason, and refuses to rewrite another', async () => {
    const [first, second] = [await placeOrder(service), await placeOrder(service)];
    await service.ask('DELETE', `${ORDERS}/${second}`);
    const { results } = await done(CANCEL, { orderIds: [first, second], reason: 'out_of_stock' });
    expect(results).toMatchObject([{ status: 204 }, { status: 409, code: 'order_cancelled' }]);
    const { text } = await service.ask('GET', `${ORDERS}/${first}`);
    expect(JSON.parse(text)).toMatchObject({ cancelReason: 'out_of_stock' });
  });

  it('records one request, of one author, in one piece', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => placeOrder(service)));
    const head = await beside.head();
    const { headers } = await done(CANCEL, { orderIds: ids });
    const events = await beside.events(head);
    expect(events.map(({ event }) => String(event.orderId))).toStrictEqual(ids);
    const [at] = events.map(({ metadata }) => metadata.at);
    for (const { metadata } of events) {
      const by = service.key.split('_')[1];
      const [requestId, end] = metadata.commandId.split(':');
      expect({ ...metadata, commandId: requestId }).toStrictEqual({
        at,
        by,
        commandId: headers['x-request-id'],
      });
      expect(end).toMatch(/^[0-9a-f]{16}$/);
    }
    // Nobody can guess one from another: the hash of each event may be public.
    expect(new Set(events.map(({ metadata }) => metadata.commandId)).size).toBe(events.length);
  });

  it('takes 500 orders, with ids of 64 bits, and has no position where nothing was done', async () => {
    const orderIds = Array.from({ length: 500 }, (_, index) => `${2n ** 63n - 1n - BigInt(index)}`);
    const { results, failed, headers } = await done(CANCEL, { orderIds });
    expect(results.map(({ orderId }: { orderId: string }) => orderId)).toStrictEqual(orderIds);
    expect(failed).toBe(500);
    expect(headers).not.toHaveProperty('event-position');
  });
});

describe('batchPlaceOrders', () => {
  it('places orders with ascending ids, in the order of the request', async () => {
    const orders = [
      { petId: '9007199254740993', quantity: 2, shipDate: '2026-01-02T01:00:00+01:00' },
      { petId: '-1', quantity: 1 },
    ];
    const head = await beside.head();
    const { results, succeeded, failed } = await done(PLACE, { orders });
    expect([succeeded, failed]).toStrictEqual([2, 0]);
    expect(results).toMatchObject([
      { status: 201, position: head + 1 },
      { status: 201, position: head + 2 },
    ]);
    const [first, second] = results.map(({ orderId }: { orderId: string }) => orderId);
    expect(BigInt(second)).toBe(BigInt(first) + 1n);
    expect(exactJson((await service.ask('GET', `${ORDERS}/${first}`)).text)).toMatchObject({
      petId: '9007199254740993',
      quantity: 2n,
      shipDate: '2026-01-02T00:00:00.000Z',
      status: 'pending',
    });
  });

  it('takes 500 orders in a body that no other operation would read', async () => {
    const order = {
      petId: '-9223372036854775808',
      quantity: 2_147_483_647,
      shipDate: '2026-01-02T01:00:00.123456789+01:00',
    };
    const { succeeded } = await done(PLACE, { orders: Array(500).fill(order), atomic: true });
    expect(succeeded).toBe(500);
    const tooLong = JSON.stringify({ orders: [order] }).padEnd(131_073);
    expectError(await service.send('POST', PLACE, tooLong), 413, 'payload_too_large');
  });
});

describe('An atomic batch', () => {
  it('is done as a whole', async () => {
    const ids = [await placeOrder(service), await placeOrder(service)];
    expect(await done(CANCEL, { orderIds: ids, atomic: true })).toMatchObject({ succeeded: 2 });
    for (const id of ids) expect(await statusOf(id)).toBe('cancelled');
  });

  it('is a 409 with the result of each item, and nothing is done, if any is refused', async () => {
    const [pending, shipped] = [await placeOrder(service), await shippedOrder()];
    const head = await beside.head();
    const answer = await send(CANCEL, { orderIds: [pending, shipped, '4711'], atomic: true });
    expect(answer.status).toBe(409);
    expect(answer.headers).not.toHaveProperty('event-position');
    expect(JSON.parse(answer.text)).toStrictEqual({
      code: 'batch_refused',
      message:
        'Nothing was changed: 2 of 3 items were refused. The first is item 2, order ' +
        `${shipped}: order_already_shipped.`,
      status: 409,
      results: [
        {
          orderId: pending,
          status: 409,
          code: 'batch_refused',
          message: expect.stringContaining('Nothing was changed'),
        },
        expect.objectContaining({ orderId: shipped, status: 409, code: 'order_already_shipped' }),
        expect.objectContaining({ orderId: '4711', status: 404, code: 'order_not_found' }),
      ],
      succeeded: 0,
      failed: 3,
    });
    expect(await beside.head()).toBe(head);
    expect(await statusOf(pending)).toBe('pending');
  });
});

describe('A batch under an idempotency key', () => {
  it('is carried out once, and gets the same answer', async () => {
    const id = await placeOrder(service);
    const named = { 'Idempotency-Key': 'batch-1' };
    const { text } = await done(CANCEL, { orderIds: [id, '4711'] }, named);
    const head = await beside.head();
    expect((await done(CANCEL, { orderIds: [id, '4711'] }, named)).text).toBe(text);
    expectError(await send(CANCEL, { orderIds: [id] }, named), 422, 'idempotency_key_reused');
    const one = await service.ask('DELETE', `${ORDERS}/${id}`, { headers: named });
    expectError(one, 422, 'idempotency_key_reused');
    expect(await beside.head()).toBe(head);
  });

  it('places its orders once', async () => {
    const named = { 'Idempotency-Key': 'batch-2' };
    const orders = [
      { petId: '1', quantity: 1 },
      { petId: '2', quantity: 1 },
    ];
    const { text } = await done(PLACE, { orders }, named);
    const head = await beside.head();
    const again = await Promise.all([1, 2, 3].map(() => done(PLACE, { orders }, named)));
    expect(again.map((each) => each.text)).toStrictEqual([text, text, text]);
    expect(await beside.head()).toBe(head);
  });

  it('is refused again, if it was refused as a whole', async () => {
    const id = await placeOrder(service);
    const named = { 'Idempotency-Key': 'batch-3' };
    const body = { orderIds: [id, '4711'], atomic: true };
    const first = await send(CANCEL, body, named);
    expect(first.status).toBe(409);
    expect((await send(CANCEL, body, named)).text).toBe(first.text);
  });
});

describe('The rate of a key', () => {
  it('counts items, and admits all of a batch or none', async () => {
    const key = await beside.addKey(['orders:cancel']);
    await beside.limit(key, { rate: { requests: 1, seconds: 60, burst: 5 } });
    const ask = (items: number) =>
      send(CANCEL, { orderIds: Array(items).fill('4711') }, bearer(key));
    const tooLarge = await ask(6);
    expectError(tooLarge, 400, 'invalid_request');
    expect(tooLarge.text).toContain('may send 5 items at once, and this batch has 6');
    const first = await ask(3);
    expect([first.status, first.headers.ratelimit]).toStrictEqual([200, '"default";r=2;t=60']);
    const refused = await ask(3);
    expectError(refused, 429, 'rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers.ratelimit).toBe(`"default";r=2;t=${refused.headers['retry-after']}`);
    // It took nothing, and neither did the one that was too large.
    expect((await ask(2)).status).toBe(200);
  });

  it('admits a batch as large as the burst that is sent again after Retry-After', async () => {
    const key = await beside.addKey(['orders:cancel']);
    await beside.limit(key, { rate: { requests: 2, seconds: 1, burst: 3 } });
    const ask = () => send(CANCEL, { orderIds: ['4711', '4712', '4713'] }, bearer(key));
    expect((await ask()).status).toBe(200);
    // Not even one item is left, so the first refusal comes before the items are counted.
    const waits: number[] = [];
    for (let last = await ask(); last.status === 429; last = await ask()) {
      waits.push(Number(last.headers['retry-after']));
      await setTimeout(Number(last.headers['retry-after']) * 1_000);
    }
    expect(waits.length).toBeLessThanOrEqual(2);
  });
});

describe('A batch is refused as a whole', () => {
  const order = { petId: '1', quantity: 1 };

  test.each<[string, string, unknown, string]>([
    ['without ids', CANCEL, {}, 'orderIds: must be an array of 1 to 500 ids'],
    ['with no ids', CANCEL, { orderIds: [] }, 'orderIds: must be an array of 1 to 500 ids'],
    ['with too many', CANCEL, { orderIds: Array(501).fill('1') }, 'orderIds: must be an array'],
    ['with a number', CANCEL, { orderIds: ['1', 2] }, 'orderIds.1: must be a whole number'],
    ['with no number', CANCEL, { orderIds: ['x'] }, 'orderIds.0: must be a whole number'],
    ['with free text', CANCEL, { orderIds: ['1'], reason: 'a whim' }, 'reason: must be one of'],
    ['with a word', CANCEL, { orderIds: ['1'], atomic: 'yes' }, 'atomic: must be true or false'],
    ['with another property', CANCEL, { orderIds: ['1'], x: 1 }, 'unknown property'],
    ['without orders', PLACE, { orders: [] }, 'orders: must be an array of 1 to 500 orders'],
    ['with too many orders', PLACE, { orders: Array(501).fill(order) }, 'orders: must be an array'],
    [
      'with a bad order',
      PLACE,
      { orders: [order, { ...order, quantity: 0 }] },
      'orders.1.quantity',
    ],
    [
      'with another property in one',
      PLACE,
      { orders: [{ ...order, id: '1' }] },
      'orders.0: \\"id\\": unknown property',
    ],
    ['with a list as one', PLACE, { orders: [[]] }, 'orders.0: must be a JSON object'],
    ['with a number as one', PLACE, { orders: [order, 1] }, 'orders.1: must be a JSON object'],
  ])('%s', async (_what, path, body, message) => {
    const head = await beside.head();
    const answer = await send(path, body);
    expectError(answer, 400, 'invalid_request');
    expect(answer.text).toContain(message);
    expect(await beside.head()).toBe(head);
  });

  it('without the scope', async () => {
    const placing = bearer(await beside.addKey(['orders:write']));
    const cancelling = bearer(await beside.addKey(['orders:cancel']));
    expectError(await send(CANCEL, { orderIds: ['1'] }, placing), 403, 'insufficient_scope');
    expectError(await send(PLACE, { orders: [order] }, cancelling), 403, 'insufficient_scope');
  });

  it('with another method, or at another address', async () => {
    const answer = await service.ask('GET', CANCEL);
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('OPTIONS, POST');
    expectError(await send('/v2/store/orders:batchEat', {}), 404, 'not_found');
    expectError(await send('/v1/store/orders:batchCancel', {}), 404, 'not_found');
  });
});
