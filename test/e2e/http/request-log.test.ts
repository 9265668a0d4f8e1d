import { describe, expect, it } from 'vitest';
import { ask } from '../../support/http.ts';
import { oneService, placeOrder } from '../../support/one-service.ts';

const { service } = await oneService();
const LIST = '/v1/store/orders';
const keyId = service.key.split('_')[1];

/** The log line of a request, whose id the answer has told. */
function lineOf(answer: { headers: Record<string, unknown> }) {
  const requestId = answer.headers['x-request-id'];
  return service.program.until(({ log }) => log.find((line) => line.requestId === requestId));
}

describe('A request leaves one line in the log,', () => {
  it('with client, request, result and duration', async () => {
    const id = await placeOrder(service);
    const answer = await service.ask('DELETE', `${LIST}/${id}?why=because`);
    expect(await lineOf(answer)).toMatchObject({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: answer.headers['x-request-id'],
      keyId,
      method: 'DELETE',
      path: `${LIST}/${id}`,
      status: 204,
      outcome: 'ok',
      durationMs: expect.any(Number),
      msg: 'request',
    });
  });

  it.each([
    ['GET', `${LIST}/12345`, 404, 'order_not_found'],
    ['GET', `${LIST}/x`, 400, 'invalid_request'],
    ['PATCH', LIST, 405, 'method_not_allowed'],
    ['POST', LIST, 415, 'unsupported_media_type'],
    ['GET', '/v1/nowhere', 404, 'not_found'],
  ])('with the code of the Error: %s %s', async (method, path, status, outcome) => {
    const answer = await service.ask(method, path);
    expect(await lineOf(answer)).toMatchObject({ method, path, status, outcome, keyId });
  });

  it('with the ids of its trace, and the id that the client gave it', async () => {
    const headers = {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'X-Request-Id': 'checkout-4711',
    };
    const answer = await service.ask('GET', LIST, { headers });
    expect(answer.headers['x-request-id']).not.toBe('checkout-4711');
    expect(await lineOf(answer)).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      clientRequestId: 'checkout-4711',
    });
    const line = await lineOf(await service.ask('GET', LIST));
    for (const name of ['traceId', 'parentSpanId', 'clientRequestId']) {
      expect(line).not.toHaveProperty(name);
    }
  });

  it('without a key if none was accepted', async () => {
    const answer = await ask(service.address, 'GET', LIST);
    const line = await lineOf(answer);
    expect(line).toMatchObject({ method: 'GET', path: LIST, status: 401, outcome: 'unauthorized' });
    expect(line).not.toHaveProperty('keyId');
  });

  it('each on a line of its own, whatever the path contains', async () => {
    const answer = await service.ask('GET', `/%0A{"level":60}"\\`);
    expect(await lineOf(answer)).toMatchObject({ path: '/…', status: 404 });
  });

  it('and one only', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => service.ask('GET', LIST)));
    for (const answer of answers) await lineOf(answer);
    const ids = service.program.log.map(({ requestId }) => requestId).filter(Boolean);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
