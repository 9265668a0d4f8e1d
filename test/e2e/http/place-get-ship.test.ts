import { describe, expect, it, test } from 'vitest';
import { exactJson, expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();
const LIST = '/v1/store/orders';

function place(order: object) {
  return service.send('POST', LIST, order);
}

function ship(id: string, shipDate: string) {
  return service.send('PUT', `${LIST}/${id}/shipment`, { shipDate });
}

describe('placeOrder', () => {
  it('answers 201 with the order, whose address is in Location', async () => {
    const order = { petId: 3, quantity: 2, shipDate: '2026-01-31T12:00:00.5-01:00' };
    const answer = await place(order);
    expect(answer.status).toBe(201);
    const placed = JSON.parse(answer.text);
    expect(placed).toStrictEqual({
      id: expect.any(Number),
      petId: 3,
      quantity: 2,
      shipDate: '2026-01-31T13:00:00.500Z',
      complete: false,
    });
    expect(answer.headers.location).toBe(`${LIST}/${placed.id}`);
    const got = await service.ask('GET', String(answer.headers.location));
    expect(got).toMatchObject({ status: 200, text: answer.text });
  });

  it('gives each order the id after the highest, imported ones included', async () => {
    await beside.place([{ id: 5_000n }]);
    expect(await placeOrder(service)).toBe('5001');
    expect(await placeOrder(service)).toBe('5002');
  });

  it('gives orders that are placed at once ids of their own', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => placeOrder(service)));
    expect(new Set(ids).size).toBe(50);
  });

  it.each([
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ;\tcharset=utf-8 ; v=1',
    'application/json; v=utf-16; CharSet=utf-8',
  ])('reads a body as %s', async (type) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'Identity' };
    const body = '{"petId": 1, "quantity": 1}';
    expect((await service.ask('POST', LIST, { headers, body })).status).toBe(201);
  });

  it.each([
    ['2026-02-28T23:59:60Z', 'a leap second'],
    ['2026-02-29T00:00:00Z', 'a day that does not exist'],
    ['2026-01-01', 'a day without a time'],
    ['2026-01-01T00:00:00', 'a time without an offset'],
    ['2026-01-01 00:00:00Z', 'a blank for the T'],
    ['1767225600', 'seconds'],
    ['tomorrow', 'a word'],
    ['', 'nothing'],
  ])('refuses %s as a ship date: %s', async (shipDate) => {
    const head = await beside.head();
    const answer = await place({ petId: 1, quantity: 1, shipDate });
    expect(expectError(answer, 400, 'invalid_request')).toContain('shipDate');
    expect(await beside.head()).toBe(head);
  });
});

describe('getOrder', () => {
  it('shows an order as it is after every command that was answered', async () => {
    const id = await placeOrder(service, { petId: 9, quantity: 3 });
    const get = async () => JSON.parse((await service.ask('GET', `${LIST}/${id}`)).text);
    const placed = { id: Number(id), petId: 9, quantity: 3, complete: false };
    expect(await get()).toStrictEqual(placed);
    await ship(id, '2026-01-02T03:04:05Z');
    const shipped = { ...placed, shipDate: '2026-01-02T03:04:05.000Z', complete: true };
    expect(await get()).toStrictEqual(shipped);
  });

  it('answers 404 for an unknown order', async () => {
    expectError(await service.ask('GET', `${LIST}/123456789`), 404, 'order_not_found');
  });
});

describe('shipOrder', () => {
  it('ships a pending order and answers with it', async () => {
    const id = await placeOrder(service);
    const head = await beside.head();
    const answer = await ship(id, '2026-01-02T00:00:00Z');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toStrictEqual({
      id: Number(id),
      petId: 7,
      quantity: 1,
      shipDate: '2026-01-02T00:00:00.000Z',
      complete: true,
    });
    expect(await beside.head()).toBe(head + 1);
  });

  it('answers 200 again for the same moment, written in any way, and records nothing', async () => {
    const id = await placeOrder(service);
    await ship(id, '2026-01-02T00:00:00Z');
    const head = await beside.head();
    expect((await ship(id, '2026-01-02T00:00:00Z')).status).toBe(200);
    expect((await ship(id, '2026-01-02T01:00:00.000+01:00')).status).toBe(200);
    expect(await beside.head()).toBe(head);
  });

  it('answers 409 for another moment, and the order keeps its own', async () => {
    const id = await placeOrder(service);
    const { text } = await ship(id, '2026-01-02T00:00:00Z');
    const head = await beside.head();
    expectError(await ship(id, '2026-01-02T00:00:00.001Z'), 409, 'order_already_shipped');
    expect(await beside.head()).toBe(head);
    expect((await service.ask('GET', `${LIST}/${id}`)).text).toBe(text);
  });

  it('answers 409 if the order is cancelled', async () => {
    const id = await placeOrder(service);
    await service.ask('DELETE', `${LIST}/${id}`);
    const head = await beside.head();
    expectError(await ship(id, '2026-01-02T00:00:00Z'), 409, 'order_cancelled');
    expect(await beside.head()).toBe(head);
  });

  it('answers 404 for an unknown order', async () => {
    expectError(await ship('123456789', '2026-01-02T00:00:00Z'), 404, 'order_not_found');
  });
});

describe('A 64-bit number is exact in every direction:', () => {
  const numbers = [
    9_007_199_254_740_993n,
    -9_007_199_254_740_993n,
    2n ** 63n - 2n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ];

  test.each(numbers)('%d as an imported id and as a petId', async (number) => {
    await beside.place([{ id: number, petId: -number - 1n }]);
    const order = `{"id":${number},"petId":${-number - 1n},"quantity":1,"complete":false}`;
    expect((await service.ask('GET', LIST)).text).toContain(order);
    const path = `${LIST}/${number}`;
    expect((await service.ask('GET', path)).text).toBe(order);
    // The neighbour that a double would take for it.
    const neighbour = number > 0n ? number - 3n : number + 3n;
    expectError(await service.ask('DELETE', `${LIST}/${neighbour}`), 404, 'order_not_found');
    expect((await service.ask('DELETE', path)).status).toBe(204);
    const [cancelled] = (await beside.events()).slice(-1);
    expect(cancelled?.event).toStrictEqual({ type: 'OrderCancelled', orderId: number });
  });

  test.each(numbers)('%d as a petId that a client sends', async (number) => {
    const body = `{"petId": ${number}, "quantity": 2147483647}`;
    const answer = await service.send('POST', LIST, body);
    expect(answer.status).toBe(201);
    expect(exactJson(answer.text)).toMatchObject({ petId: number, quantity: 2_147_483_647n });
    expect((await service.ask('GET', String(answer.headers.location))).text).toBe(answer.text);
  });

  it('still places orders after an import has taken the very last id', async () => {
    const taken = (exactJson((await service.ask('GET', LIST)).text) as { id: bigint }[]).map(
      ({ id }) => id,
    );
    expect(taken).toContain(2n ** 63n - 1n);
    const id = BigInt(await placeOrder(service));
    expect(taken).not.toContain(id);
    expect(id).toBeGreaterThan(0n);
  });
});
