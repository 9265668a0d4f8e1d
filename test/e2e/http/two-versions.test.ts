import { describe, expect, it, test } from 'vitest';
import { expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service } = await oneService();
const V1 = '/v1/store/orders';
const V2 = '/v2/store/orders';
/** The body that places an order of a pet, in either version. */
const orderAt = (list: string, petId = 7) => ({
  petId: list === V1 ? petId : `${petId}`,
  quantity: 2,
});
const SHIPMENT = { shipDate: '2026-01-02T00:00:00Z' };

describe('What is done in one version is seen in the other:', () => {
  test.each([
    [V1, V2],
    [V2, V1],
  ])('%s, then %s', async (here, there) => {
    const placed = await service.send('POST', here, orderAt(here));
    const { id } = JSON.parse(placed.text);
    expect(placed.headers.location).toBe(`${here}/${id}`);
    expect((await service.ask('GET', `${there}/${id}`)).status).toBe(200);
    expect((await service.send('PUT', `${there}/${id}/shipment`, SHIPMENT)).status).toBe(200);
    const shown = JSON.parse((await service.ask('GET', `${V2}/${id}`)).text);
    expect(shown).toMatchObject({ status: 'shipped', complete: true, quantity: 2 });
    expectError(await service.ask('DELETE', `${here}/${id}`), 409, 'order_already_shipped');
    expectError(await service.ask('DELETE', `${there}/${id}`), 409, 'order_already_shipped');
  });
});

describe('Version 2 shows', () => {
  const get = async (id: string) => JSON.parse((await service.ask('GET', `${V2}/${id}`)).text);

  it('a new order as pending, placed just now', async () => {
    const begun = new Date().toISOString();
    const answer = await service.send('POST', V2, { petId: '7', quantity: 1 });
    const { placedAt, ...order } = JSON.parse(answer.text);
    expect(answer.status).toBe(201);
    expect(order).toStrictEqual({
      id: expect.stringMatching(/^[1-9]\d*$/),
      petId: '7',
      quantity: 1,
      complete: false,
      status: 'pending',
    });
    expect(placedAt >= begun && placedAt <= new Date().toISOString()).toBe(true);
  });

  it('when an order was cancelled, which a second cancellation does not change', async () => {
    const id = await placeOrder(service);
    expect(await service.ask('DELETE', `${V2}/${id}`)).toMatchObject({ status: 204, text: '' });
    const cancelled = await get(id);
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelledAt: expect.any(String) });
    expect((await service.ask('DELETE', `${V2}/${id}`)).status).toBe(204);
    expect(await get(id)).toStrictEqual(cancelled);
  });

  it('when a shipment was recorded, beside the date that it was reported with', async () => {
    const id = await placeOrder(service);
    await service.send('PUT', `${V2}/${id}/shipment`, SHIPMENT);
    const { shipDate, shippedAt } = await get(id);
    expect(shipDate).toBe('2026-01-02T00:00:00.000Z');
    expect(shippedAt > shipDate).toBe(true);
  });
});

const whole = await placeOrder(service);
await service.ask('DELETE', `${V1}/${whole}`);

test.each([
  `/orders/${whole}/events`,
  '/events?limit=2',
  '/checkpoint',
  '/epochs',
  '/proofs/inclusion?position=1&size=2',
  '/proofs/consistency?from=1&to=2',
  `/orders/${whole}/receipt`,
  '/events/1/receipt',
])('What an auditor gets at %s is the same in both versions', async (path) => {
  const { status, text, headers } = await service.ask('GET', `/v1/store${path}`);
  expect(status).toBe(200);
  expect(text).not.toBe('');
  const { etag, 'content-type': type } = headers;
  const second = await service.ask('GET', `/v2/store${path}`);
  expect(second).toMatchObject({ status, text });
  expect([second.headers.etag, second.headers['content-type']]).toStrictEqual([etag, type]);
  expectError(
    await service.ask('GET', `/v2/store${path.split('?')[0]}?x=1`),
    400,
    'invalid_request',
  );
});

describe.each([V1, V2])('An order at %s that has not changed', (list) => {
  it('is not sent again to whoever has its ETag, and is once it has changed', async () => {
    const placed = await service.send('POST', list, orderAt(list));
    const path = String(placed.headers.location);
    const get = (etag: string) => service.ask('GET', path, { headers: { 'If-None-Match': etag } });
    const etag = String(placed.headers.etag);
    expect(etag).toMatch(/^"[\w-]+-1"$/);
    expect(await get(etag)).toMatchObject({ status: 304, text: '', headers: { etag } });
    expect((await service.ask('GET', path)).headers).toMatchObject({
      etag,
      'cache-control': 'private, no-cache',
    });

    await placeOrder(service);
    expect((await get(etag)).status).toBe(304);

    await service.ask('DELETE', path);
    const after = await get(etag);
    expect(after.status).toBe(200);
    expect(after.headers.etag).toMatch(/^"[\w-]+-2"$/);
    await service.ask('DELETE', path);
    expect((await get(String(after.headers.etag))).status).toBe(304);
  });

  it('is not the ETag of the response to a shipment, which has none', async () => {
    const id = await placeOrder(service);
    const answer = await service.send('PUT', `${list}/${id}/shipment`, SHIPMENT);
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('etag');
  });
});

describe('Version 2 takes the id of a pet as a string', () => {
  const place = (petId: unknown) => service.send('POST', V2, { petId, quantity: 1 });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])(
    'and shows it to the digit: %s',
    async (petId) => {
      const { status, text } = await place(petId);
      expect(status).toBe(201);
      expect(JSON.parse(text).petId).toBe(petId);
    },
  );

  it.each([
    7,
    '9223372036854775808',
    '-9223372036854775809',
    '07',
    '-0',
    '+7',
    '7.0',
    '7e0',
    ' 7',
    '',
    '٧',
    null,
    true,
    ['7'],
  ])('and nothing else: %j', async (petId) => {
    expect(expectError(await place(petId), 400, 'invalid_request')).toBe(
      'petId: must be a whole number from -9223372036854775808 to 9223372036854775807, as a string',
    );
  });

  it('where version 1 takes a number', async () => {
    const answer = await service.send('POST', V1, { petId: '7', quantity: 1 });
    expectError(answer, 400, 'invalid_request');
  });
});
