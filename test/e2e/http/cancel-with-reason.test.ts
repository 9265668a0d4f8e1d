import { describe, expect, it, test } from 'vitest';
import { CANCEL_REASONS } from '../../../src/domain/order.ts';
import { expectError } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';
import { bearer } from '../../support/service.ts';

const { service, beside } = await oneService();
const V2 = '/v2/store/orders';

function cancel(id: string, reason: unknown, headers: Record<string, string> = {}) {
  return service.send('PUT', `${V2}/${id}/cancellation`, { reason }, { headers });
}

const get = async (id: string) => JSON.parse((await service.ask('GET', `${V2}/${id}`)).text);

async function shippedOrder(): Promise<string> {
  const id = await placeOrder(service);
  await service.send('PUT', `${V2}/${id}/shipment`, { shipDate: '2026-01-02T00:00:00Z' });
  return id;
}

describe('cancelOrderWithReason', () => {
  it.each(CANCEL_REASONS)('cancels an order, and shows why: %s', async (reason) => {
    const id = await placeOrder(service);
    const answer = await cancel(id, reason);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['event-position']).toBe(String(await beside.head()));
    const order = JSON.parse(answer.text);
    expect(order).toMatchObject({ id, status: 'cancelled', cancelReason: reason });
    expect(await get(id)).toStrictEqual(order);
    const { data } = JSON.parse((await service.ask('GET', `${V2}?id=${id}`)).text);
    expect(data).toStrictEqual([order]);
  });

  it('records the reason in an event of schema version 2, which auditors and receipts show', async () => {
    const id = await placeOrder(service);
    const { headers } = await cancel(id, 'payment_failed');
    const [, event] = JSON.parse((await service.ask('GET', `${V2}/${id}/events`)).text);
    expect(event).toMatchObject({
      type: 'OrderCancelled',
      position: Number(headers['event-position']),
      schemaversion: 2,
      data: { orderId: id, reason: 'payment_failed' },
    });
    const { text } = await service.ask('GET', `${V2}/${id}/receipt`);
    const data = `{"orderId":"${id}","reason":"payment_failed"}`;
    expect(JSON.parse(text).record).toContain(`{"data":${data},"metadata":`);
  });

  it('leaves a cancellation without a reason as it was, in both versions', async () => {
    for (const version of ['v1', 'v2']) {
      const id = await placeOrder(service);
      const path = `/${version}/store/orders/${id}`;
      expect((await service.ask('DELETE', path)).status).toBe(204);
      const [, event] = JSON.parse((await service.ask('GET', `${V2}/${id}/events`)).text);
      expect(event).toMatchObject({ schemaversion: 1, data: { orderId: id } });
      expect(event.data).not.toHaveProperty('reason');
      expect(await get(id)).not.toHaveProperty('cancelReason');
    }
  });

  it('shows no reason in version 1', async () => {
    const id = await placeOrder(service);
    await cancel(id, 'other');
    const order = JSON.parse((await service.ask('GET', `/v1/store/orders/${id}`)).text);
    expect(Object.keys(order)).toStrictEqual(['id', 'petId', 'quantity', 'complete']);
  });

  it('shows no reason as of a moment before the cancellation', async () => {
    const id = await placeOrder(service);
    const before = await beside.head();
    await cancel(id, 'other');
    const { text } = await service.ask('GET', `${V2}?id=${id}&asOf=${before}`);
    expect(JSON.parse(text).data).toMatchObject([{ id, status: 'pending' }]);
    expect(text).not.toContain('cancelReason');
  });

  it('is the same again for the same reason, and records nothing', async () => {
    const id = await placeOrder(service);
    const first = await cancel(id, 'duplicate');
    const head = await beside.head();
    const again = await cancel(id, 'duplicate', { 'If-Match': '"x-1"' });
    expect([again.status, again.text]).toStrictEqual([200, first.text]);
    expect(again.headers['event-position']).toBe(first.headers['event-position']);
    expect((await service.ask('DELETE', `${V2}/${id}`)).status).toBe(204);
    expect(await beside.head()).toBe(head);
  });

  it('does not rewrite a reason, nor add one that was not given at the time', async () => {
    const withOne = await placeOrder(service);
    await cancel(withOne, 'duplicate');
    const without = await placeOrder(service);
    await service.ask('DELETE', `${V2}/${without}`);
    const head = await beside.head();
    for (const id of [withOne, without]) {
      expectError(await cancel(id, 'out_of_stock'), 409, 'order_cancelled');
    }
    expect(await beside.head()).toBe(head);
    expect(await get(withOne)).toMatchObject({ cancelReason: 'duplicate' });
  });

  it('refuses what no cancellation may be', async () => {
    expectError(await cancel(await shippedOrder(), 'other'), 409, 'order_already_shipped');
    expectError(await cancel('4711', 'other'), 404, 'order_not_found');
    const id = await placeOrder(service);
    expectError(await cancel(id, 'other', { 'If-Match': '"x-1"' }), 412, 'precondition_failed');
    const weak = { headers: bearer(await beside.addKey(['orders:write'])) };
    const path = `${V2}/${id}/cancellation`;
    expectError(
      await service.send('PUT', path, { reason: 'other' }, weak),
      403,
      'insufficient_scope',
    );
    expect(await get(id)).toMatchObject({ status: 'pending' });
  });

  it('is carried out once under an idempotency key, with its reason', async () => {
    const id = await placeOrder(service);
    const named = { 'Idempotency-Key': 'with-a-reason' };
    const first = await cancel(id, 'duplicate', named);
    expect((await cancel(id, 'duplicate', named)).text).toBe(first.text);
    expectError(await cancel(id, 'other', named), 422, 'idempotency_key_reused');
  });

  test.each([
    ['free text, which would be there for good', 'Mrs Smith, 12 Rose Lane, has changed her mind'],
    ['another spelling', 'Duplicate'],
    ['nothing', undefined],
    ['null', null],
    ['a number', 1],
    ['the name of a method', 'toString'],
  ])('takes nothing that is not in the list: %s', async (_what, reason) => {
    const id = await placeOrder(service);
    const head = await beside.head();
    const answer = await cancel(id, reason);
    expectError(answer, 400, 'invalid_request');
    expect(answer.text).toContain('reason: must be one of customer_request, out_of_stock,');
    expect(answer.text).not.toContain('Rose Lane');
    expect(await beside.head()).toBe(head);
  });

  it('takes no other property', async () => {
    const id = await placeOrder(service);
    const body = { reason: 'other', comment: 'x' };
    const answer = await service.send('PUT', `${V2}/${id}/cancellation`, body);
    expectError(answer, 400, 'invalid_request');
    expect(answer.text).toContain('comment');
  });

  it('is not there in version 1', async () => {
    const id = await placeOrder(service);
    const path = `/v1/store/orders/${id}/cancellation`;
    expectError(await service.send('PUT', path, { reason: 'other' }), 404, 'not_found');
  });
});
