import { describe, expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { failureOf } from '../../support/client-failure.ts';
import {
  json,
  type Reply,
  refusal,
  ScriptedServer,
  silence,
} from '../../support/scripted-server.ts';

/** Changes of an order that take several requests, where one of them fails. */

const ORDER = { id: '1', petId: '7', quantity: 1, complete: false, status: 'pending' };

describe('An update that has cancelled the order', () => {
  const READ = json(200, ORDER, { ETag: '"x-1"' });
  const CANCELLED: Reply = (res) => res.writeHead(204, { 'Event-Position': '9' }).end();

  test.each([
    [503, 'service_unavailable', 'outcome_unknown'],
    [429, 'rate_limited', 'outcome_unknown'],
    [401, 'unauthorized', 'outcome_unknown'],
    [403, 'insufficient_scope', 'outcome_unknown'],
    [404, 'order_not_found', 'outcome_unknown'],
    [412, 'precondition_failed', 'outcome_unknown'],
    [500, 'internal_error', 'internal_error'],
    [502, 'other', 'unexpected_response'],
  ])('says so if it is answered with %i %s afterwards', async (status, code, told) => {
    const headers = { 'X-Request-Id': 'r' };
    await using server = await ScriptedServer.start(
      READ,
      CANCELLED,
      refusal(status, code, headers),
    );
    const store = new StoreOrders({ url: server.url, key: 'key', retries: 0 });
    const error = await failureOf(store.update('1', () => ({ cancel: true })));
    expect(error).toMatchObject({ code: told, status, requestId: 'r', attempts: 1 });
    const said = 'The order is cancelled, at position 9, but could not be read afterwards: ';
    expect(error.message.startsWith(said)).toBe(true);
    expect((error.cause as Error).message).toBe(error.message.slice(said.length));
    expect(server.received[1]?.headers['idempotency-key']).toBe(error.idempotencyKey);
    expect(server.received).toHaveLength(3);
  });

  test('says so if it is aborted afterwards, with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    await using server = await ScriptedServer.start(READ, CANCELLED, silence);
    const store = new StoreOrders({ url: server.url, key: 'key' });
    const call = failureOf(store.update('1', () => ({ cancel: true }), { signal: stop.signal }));
    await expect.poll(() => server.received.length).toBe(3);
    stop.abort(reason);
    expect(await call).toMatchObject({
      code: 'aborted',
      cause: reason,
      idempotencyKey: expect.stringMatching(/^[\da-f]{32}$/),
    });
  });

  test('ends with what a hook throws afterwards', async () => {
    await using server = await ScriptedServer.start(READ, CANCELLED, READ);
    const onResponse = () => {
      if (server.received.length === 3) throw new RangeError('mine');
    };
    const store = new StoreOrders({ url: server.url, key: 'key', onResponse });
    const update = store.update('1', () => ({ cancel: true }));
    await expect(update).rejects.toThrow(new RangeError('mine'));
  });
});

test.each([null, true, 'cancel', 7, {}, { cancel: false }, { ship: null }])(
  'A decision such as %j is no change, and nothing is sent',
  async (decision) => {
    await using server = await ScriptedServer.start(json(200, ORDER, { ETag: '"x-1"' }));
    const store = new StoreOrders({ url: server.url, key: 'key', retries: 0 });
    const error = await failureOf(store.update('1', () => decision as never));
    expect(error).toMatchObject({ code: 'invalid_request', attempts: 0 });
    expect(server.received).toHaveLength(1);
  },
);

test.each([
  { cancel: true, ship: new Date(0) },
  { ship: new Date(0), cancel: 'other' },
])('A decision for both is none, and nothing is sent: %j', async (decision) => {
  await using server = await ScriptedServer.start(json(200, ORDER, { ETag: '"x-1"' }));
  const store = new StoreOrders({ url: server.url, key: 'key', retries: 0 });
  // @ts-expect-error: a change is one of the two.
  const error = await failureOf(store.update('1', () => decision));
  expect(error).toMatchObject({ code: 'invalid_request', attempts: 0 });
  expect(error.message).toContain('either');
  expect(server.received).toHaveLength(1);
});

test.each([
  [{ cancel: true, ship: undefined }, 'DELETE'],
  [{ ship: new Date(0), cancel: undefined }, 'PUT'],
] as const)('A decision for one may have the other undefined: %j', async (decision, method) => {
  await using server = await ScriptedServer.start(
    json(200, ORDER, { ETag: '"x-1"' }),
    json(200, ORDER, { 'Event-Position': '9' }),
  );
  const store = new StoreOrders({ url: server.url, key: 'key', retries: 0 });
  await store.update('1', () => decision);
  expect(server.received[1]?.method).toBe(method);
});

describe('A tag that a proxy has changed', () => {
  test.each([
    ['W/"x-1"', 'the tag is weak, and matches no order'],
    ['', 'the tag is empty, and matches no order'],
  ])('such as %j changes nothing, and says why', async (ETag, said) => {
    await using server = await ScriptedServer.start(json(200, ORDER, { ETag }));
    const store = new StoreOrders({ url: server.url, key: 'key', retries: 0 });
    for (const call of [
      () => store.update('1', () => ({ cancel: true })),
      () => store.update('1', () => ({ ship: '2026-01-01T00:00:00Z' })),
      () => store.cancel('1', { ifMatch: ETag, reason: 'other' }),
      () => store.v1.cancel('1', { ifMatch: ETag }),
    ]) {
      const error = await failureOf(call());
      expect(error).toMatchObject({ code: 'invalid_request', attempts: 0 });
      expect(error.message).toContain(said);
    }
    // Whoever changes nothing needs no tag.
    expect(await store.update('1', () => undefined)).toMatchObject(ORDER);
    expect(new Set(server.received.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});
