import { describe, expect, it } from 'vitest';
import { expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service, beside } = await oneService();

function cancel(id: string | bigint) {
  return service.ask('DELETE', `/v1/store/orders/${id}`);
}

describe('cancelOrder', () => {
  it('cancels a pending order and answers 204 without a body', async () => {
    const id = await placeOrder(service);
    const answer = await cancel(id);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(answer.headers).not.toHaveProperty('content-type');
    expect(answer.headers).not.toHaveProperty('content-length');
    expect(answer.headers).not.toHaveProperty('transfer-encoding');
  });

  it('records one event, by whom and with which request', async () => {
    const id = await placeOrder(service);
    const head = await beside.head();
    const { headers } = await cancel(id);
    expect(await beside.events(head)).toStrictEqual([
      {
        position: head + 1,
        version: 2,
        event: { type: 'OrderCancelled', orderId: BigInt(id) },
        metadata: {
          at: expect.any(String),
          by: service.key.split('_')[1],
          commandId: headers['x-request-id'],
        },
      },
    ]);
  });

  it('returns the position of the event, also for a repetition', async () => {
    const id = await placeOrder(service);
    const { headers: first } = await cancel(id);
    expect(first['event-position']).toBe(String(await beside.head()));
    await placeOrder(service);
    const { headers: again } = await cancel(id);
    expect(again['event-position']).toBe(first['event-position']);
  });

  it('answers 204 again, and records nothing again', async () => {
    const id = await placeOrder(service);
    await cancel(id);
    const head = await beside.head();
    for (let n = 0; n < 3; n++) expect((await cancel(id)).status).toBe(204);
    expect(await beside.head()).toBe(head);
  });

  it('answers 204 to all who cancel at once, and records one event', async () => {
    const id = await placeOrder(service);
    const head = await beside.head();
    const answers = await Promise.all(Array.from({ length: 20 }, () => cancel(id)));
    expect(answers.map(({ status }) => status)).toStrictEqual(Array(20).fill(204));
    expect(await beside.head()).toBe(head + 1);
  });

  it('answers 404 for an unknown order, and records nothing', async () => {
    const head = await beside.head();
    for (const id of [0n, -1n, 4_711n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      expectError(await cancel(id), 404, 'order_not_found');
    }
    expect(await beside.head()).toBe(head);
  });

  it('answers 409 if the order has shipped, which cannot be reversed', async () => {
    const id = await placeOrder(service);
    const shipment = `/v1/store/orders/${id}/shipment`;
    await service.send('PUT', shipment, { shipDate: '2026-01-02T00:00:00Z' });
    const head = await beside.head();
    expectError(await cancel(id), 409, 'order_already_shipped');
    expectError(await cancel(id), 409, 'order_already_shipped');
    expect(await beside.head()).toBe(head);
    expect((await service.ask('GET', `/v1/store/orders/${id}`)).text).toContain('"complete":true');
  });

  it('either cancels or finds it shipped, beside a concurrent shipment', async () => {
    const shipDate = '2026-01-02T00:00:00Z';
    for (let n = 0; n < 20; n++) {
      const id = await placeOrder(service);
      const ship = () => service.send('PUT', `/v1/store/orders/${id}/shipment`, { shipDate });
      const both = n % 2 === 0 ? [cancel(id), ship()] : [ship(), cancel(id)];
      const statuses = (await Promise.all(both)).map(({ status }) => status).toSorted();
      expect([200, 204]).toContain(statuses[0]);
      expect(statuses[1]).toBe(409);
    }
  });

  it('needs no body and ignores one', async () => {
    for (const body of ['{', '{"orderId": 1}', 'x'.repeat(100_000)]) {
      const path = `/v1/store/orders/${await placeOrder(service)}`;
      const headers = { 'Content-Type': 'text/plain' };
      expect((await service.ask('DELETE', path, { headers, body })).status).toBe(204);
    }
  });
});
