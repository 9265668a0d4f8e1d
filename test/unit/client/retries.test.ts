import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, test } from 'vitest';
import type { Refusal } from '../../../src/app/log/submission.ts';
import { type ClientOptions, StoreOrders, StoreOrdersError } from '../../../src/client/client.ts';
import { isFinal } from '../../../src/client/retry-policy.ts';
import { failureOf } from '../../support/client-failure.ts';
import {
  cut,
  cutInside,
  json,
  type Reply,
  refusal,
  ScriptedServer,
  silence,
} from '../../support/scripted-server.ts';

const ORDER = { id: '1', petId: '7', quantity: 1, complete: false, status: 'pending' };
const PLACED = json(201, ORDER, { ETag: '"x-1"' });
const NEW = { petId: '7', quantity: 1 };

/** Starts a server with a script, and returns a client of it. */
async function clientOf(script: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const server = await ScriptedServer.start(...script);
  const store = new StoreOrders({ url: server.url, key: 'key', ...options });
  const keys = () => new Set(server.received.map(({ headers }) => headers['idempotency-key']));
  return { server, store, keys, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** All of them: a new one does not compile before it is here, and then the policy must know it. */
const REFUSALS: Readonly<Record<Refusal, true>> = {
  order_exists: true,
  order_not_found: true,
  order_already_shipped: true,
  order_cancelled: true,
  precondition_failed: true,
  idempotency_key_reused: true,
  batch_refused: true,
};

test.each(Object.keys(REFUSALS) as Refusal[])(
  'The refusal %s says what became of every attempt under its key',
  (code) => {
    expect(isFinal(code)).toBe(true);
  },
);

describe('A command', () => {
  const unavailable = refusal(503, 'service_unavailable');
  const unknown = refusal(503, 'outcome_unknown');

  test.each([
    ['a cut connection', cut],
    ['a cut response', cutInside],
    ['503 service_unavailable', unavailable],
    ['503 outcome_unknown', unknown],
    ['429', refusal(429, 'rate_limited')],
    ['a 429 of a proxy', (res) => res.writeHead(429).end('<h1>Too many requests</h1>')],
    ['a 502 of a proxy', (res) => res.writeHead(502).end('<h1>Bad gateway</h1>')],
    ['a 408', refusal(408, 'invalid_request')],
  ] as [string, Reply][])(
    'is sent again after %s, under the same Idempotency-Key',
    async (_, first) => {
      await using at = await clientOf([first, first, PLACED]);
      expect(await at.store.place(NEW)).toStrictEqual({ ...ORDER, etag: '"x-1"' });
      expect(at.server.received).toHaveLength(3);
      expect([...at.keys()]).toEqual([expect.stringMatching(/^[\da-f]{32}$/)]);
      expect(new Set(at.server.received.map(({ body }) => body))).toEqual(
        new Set(['{"petId":"7","quantity":1}']),
      );
    },
  );

  test.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [403, 'insufficient_scope'],
    [404, 'order_not_found'],
    [409, 'order_already_shipped'],
    [412, 'precondition_failed'],
    [422, 'idempotency_key_reused'],
    [500, 'internal_error'],
  ])('is not sent again after %i %s', async (status, code) => {
    await using at = await clientOf([refusal(status, code, { 'X-Request-Id': 'r' }), PLACED]);
    const error = await failureOf(at.store.place(NEW));
    expect(error).toMatchObject({ code, status, requestId: 'r', attempts: 1 });
    expect(error.message).toBe(`It is ${code}.`);
    expect(at.server.received).toHaveLength(1);
  });

  it('has a new Idempotency-Key each time, or the given one', async () => {
    await using at = await clientOf([PLACED]);
    await at.store.place(NEW);
    await at.store.place(NEW);
    expect(at.keys().size).toBe(2);
    await at.store.place(NEW, { idempotencyKey: 'basket-1' });
    expect([...at.keys()]).toContain('basket-1');
    const wrong = at.store.place(NEW, { idempotencyKey: 'a\nb' });
    expect(await failureOf(wrong)).toMatchObject({ code: 'invalid_request', attempts: 0 });
  });

  it('ends with the last failure and its key, by which it can be repeated', async () => {
    await using at = await clientOf([unavailable], { retries: 2 });
    const error = await failureOf(at.store.place(NEW));
    expect(error).toMatchObject({ code: 'service_unavailable', attempts: 3 });
    expect([...at.keys()]).toEqual([error.idempotencyKey]);
  });

  it('is told as unknown if an earlier attempt may have been carried out', async () => {
    for (const first of [cut, unknown]) {
      await using at = await clientOf([first, refusal(401, 'unauthorized')]);
      const error = await failureOf(at.store.place(NEW));
      expect(error).toMatchObject({ code: 'outcome_unknown', status: 401, attempts: 2 });
      expect(error.cause).toMatchObject({ code: 'unauthorized' });
    }
  });

  it('is told as refused if the refusal holds for all attempts, or no other was carried out', async () => {
    for (const [first, second] of [
      [cut, refusal(409, 'order_cancelled')],
      [unavailable, refusal(401, 'unauthorized')],
    ] as const) {
      await using at = await clientOf([first, second]);
      const { code } = await failureOf(at.store.ship('1', '2026-01-01T00:00:00Z'));
      expect(['order_cancelled', 'unauthorized']).toContain(code);
    }
  });
});

describe('A read', () => {
  it('has no Idempotency-Key, and is never of unknown outcome', async () => {
    await using at = await clientOf([cut, refusal(401, 'unauthorized')]);
    expect(await failureOf(at.store.get('1'))).toMatchObject({ code: 'unauthorized', attempts: 2 });
    expect([...at.keys()]).toEqual([undefined]);
    expect(at.server.received[0]?.headers['content-type']).toBeUndefined();
  });

  it('may ask for what has changed, and succeeds without a text if nothing has', async () => {
    await using at = await clientOf([(res) => res.writeHead(304, { ETag: '"x-1"' }).end()]);
    const headers = { 'If-None-Match': '"x-1"' };
    const request = { method: 'GET', path: '/v2/store/orders/1', headers };
    expect(await at.store.request(request)).toMatchObject({ status: 304, text: '', attempts: 1 });
    expect(at.server.received[0]?.headers['if-none-match']).toBe('"x-1"');
  });

  it('takes an answer of so many characters and no more, in whatever pieces they arrive', async () => {
    const bytes = Buffer.from('äöü€😀');
    const fetch = async () =>
      new Response(ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte))));
    const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch });
    const request = { method: 'GET', path: '/v2/key' };
    const { text } = await store.request({ ...request, maxCharacters: 6 });
    expect(text).toBe('äöü€😀');
    const error = await failureOf(store.request({ ...request, maxCharacters: 5 }));
    expect(error).toMatchObject({ code: 'unexpected_response', status: 200 });
    expect(error.message).toContain('more than 5 characters');
  });
});

describe('An answer that is none of the API', () => {
  const ASKED = 'GET /v2/store/orders/1:';

  test.each([
    ['a page of a proxy', 404, '<h1>Not found</h1>', `${ASKED} 404`],
    [
      'an Error with another code',
      409,
      '{"code":"teapot","message":"Short and stout.","status":409}',
      `${ASKED} 409 Short and stout.`,
    ],
    ['an Error without a message', 404, '{"code":"order_not_found","status":404}', `${ASKED} 404`],
    [
      'an Error whose message is no text',
      404,
      '{"code":"order_not_found","message":{"toString":1,"valueOf":1},"status":404}',
      `${ASKED} 404`,
    ],
    ['a redirect', 307, '', `${ASKED} 307`],
    [
      'a redirect with an Error',
      307,
      '{"code":"not_found","message":"No.","status":307}',
      `${ASKED} 307 No.`,
    ],
    ['a page with status 200', 200, '<h1>Log in</h1>', '200 without JSON'],
  ])('%s', async (_, status, body, said) => {
    const headers = { Location: 'http://127.0.0.1:1/' };
    await using at = await clientOf([(res) => res.writeHead(status, headers).end(body)]);
    const error = await failureOf(at.store.get('1'));
    expect(error).toMatchObject({ code: 'unexpected_response', status });
    const message = error.message.replace(at.server.url, '');
    expect(message).toBe(`${said}, which is no answer of this API`);
    expect(at.server.received).toHaveLength(1);
  });

  // Node.js says "fetch failed", and the reason in its cause. Others say it in their own way.
  test.each([
    [
      new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') }),
      'connect ECONNREFUSED',
    ],
    [
      new TypeError('fetch failed', { cause: { message: '', code: 'ECONNREFUSED' } }),
      'ECONNREFUSED',
    ],
    [new TypeError('fetch failed', { cause: { message: '' } }), 'fetch failed'],
    [new TypeError('Load failed'), 'Load failed'],
    ['offline', 'offline'],
  ])('a fetch that fails: %j', async (failure, reason) => {
    const fetch = () => Promise.reject(failure);
    const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
    const error = await failureOf(store.get('1'));
    expect(error).toMatchObject({ code: 'network', cause: failure, attempts: 1 });
    expect(error.message).toBe(`GET http://127.0.0.1/v2/store/orders/1: ${reason}`);
  });

  test('no address', () => {
    for (const url of [
      ...['', 'nowhere', 'localhost:3000', 'ftp://127.0.0.1/'],
      ...['http://me:secret@127.0.0.1/', 'http://127.0.0.1/?token=secret', 'http://127.0.0.1/#'],
    ]) {
      expect(() => new StoreOrders({ url, key: 'key' })).toThrow(StoreOrdersError);
    }
  });
});

describe('Time', () => {
  test('an attempt takes no longer than its timeout, and the next may succeed', async () => {
    await using at = await clientOf([silence, PLACED], { attemptTimeoutMs: 100 });
    expect(await at.store.place(NEW)).toMatchObject(ORDER);
    expect(at.keys().size).toBe(1);
  });

  test('a call takes no longer than its timeout', async () => {
    await using at = await clientOf([silence], { attemptTimeoutMs: 100, retries: Infinity });
    const begun = performance.now();
    expect(await failureOf(at.store.get('1', { timeoutMs: 500 }))).toMatchObject({
      code: 'timeout',
    });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(at.server.received.length).toBeGreaterThan(1);
  });

  test('an attempt takes no longer than what is left of its call', async () => {
    await using at = await clientOf([silence], { attemptTimeoutMs: Infinity });
    const begun = performance.now();
    const error = await failureOf(at.store.get('1', { timeoutMs: 300 }));
    expect(error).toMatchObject({ code: 'timeout', attempts: 1 });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  // Not every `fetch` heeds the signal that it is given, and a function for the key is given none.
  const never = new Promise<never>(() => undefined);
  const unending = async () => new Response(new ReadableStream());
  const inert: [string, Partial<ClientOptions>, number][] = [
    ['fetch that never answers', { fetch: () => never }, 1],
    ['fetch whose answer never ends', { fetch: unending }, 1],
    ['key that never comes', { key: () => never }, 0],
  ];

  test.each(inert)('limits a %s', async (_, options, attempts) => {
    const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', ...options });
    const limits = { attemptTimeoutMs: 20, retries: 1 };
    const error = await failureOf(store.place(NEW, limits));
    expect(error).toMatchObject({ code: 'timeout', attempts: attempts * 2 });
    expect(error.message).toBe('POST http://127.0.0.1/v2/store/orders: no answer in time');
  });

  test.each(inert)('and a signal end a %s', async (_, options, attempts) => {
    const reason = new Error('enough');
    const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', ...options });
    const stop = new AbortController();
    const call = failureOf(store.get('1', { signal: stop.signal }));
    setTimeout(20).then(() => stop.abort(reason));
    expect(await call).toMatchObject({ code: 'aborted', cause: reason, attempts });
  });

  test('a wait that is longer than a timer can be is not cut to nothing', async () => {
    const busy = refusal(503, 'service_unavailable', { 'Retry-After': '9999999999' });
    await using at = await clientOf([busy], { timeoutMs: Infinity });
    const stop = new AbortController();
    const call = failureOf(at.store.get('1', { signal: stop.signal }));
    await expect.poll(() => at.server.received.length).toBe(1);
    await setTimeout(200);
    stop.abort();
    expect(await call).toMatchObject({ code: 'aborted', attempts: 1 });
    expect(at.server.received).toHaveLength(1);
  });

  test.each(['timeoutMs', 'attemptTimeoutMs', 'retries'])('%s must be a number', async (name) => {
    await using at = await clientOf([PLACED]);
    for (const limit of [-1, Number.NaN, 'soon']) {
      const options = { [name]: limit };
      const refused = { code: 'invalid_request', message: `${name}: must be a number from 0 on` };
      expect(await failureOf(at.store.place(NEW, options))).toMatchObject(refused);
      const { url } = at.server;
      expect(() => new StoreOrders({ url, key: 'key', ...options })).toThrow(refused.message);
    }
    expect(at.server.received).toEqual([]);
  });

  test.each(['5000', null, true])('a limit is not read from %j', async (limit) => {
    await using at = await clientOf([PLACED]);
    for (const name of ['timeoutMs', 'attemptTimeoutMs', 'retries']) {
      const refused = { code: 'invalid_request', message: `${name}: must be a number from 0 on` };
      const call = at.store.place(NEW, { [name]: limit as never });
      expect(await failureOf(call)).toMatchObject(refused);
    }
    expect(at.server.received).toEqual([]);
  });

  test('timeouts can be infinite', async () => {
    await using at = await clientOf([PLACED], { attemptTimeoutMs: Infinity, timeoutMs: Infinity });
    expect(await at.store.place(NEW)).toMatchObject(ORDER);
  });

  test('Retry-After is waited for', async () => {
    const busy = refusal(503, 'service_unavailable', { 'Retry-After': '1' });
    await using at = await clientOf([busy, PLACED]);
    const begun = performance.now();
    await at.store.place(NEW);
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_000);
  });

  test('a Retry-After beyond the timeout is not waited for', async () => {
    const busy = refusal(429, 'rate_limited', { 'Retry-After': '3600' });
    await using at = await clientOf([busy]);
    const error = await failureOf(at.store.place(NEW));
    expect(error).toMatchObject({ code: 'rate_limited', attempts: 1, retryAfterMs: 3_600_000 });
  });
});

describe('A signal', () => {
  const reason = new Error('enough');

  it('ends a call before, during and between its attempts', async () => {
    await using at = await clientOf([silence]);
    const before = failureOf(at.store.get('1', { signal: AbortSignal.abort(reason) }));
    expect(await before).toMatchObject({ code: 'aborted', cause: reason, attempts: 0 });
    expect(at.server.received).toHaveLength(0);

    const during = new AbortController();
    const again: unknown[] = [];
    const { url } = at.server;
    const watched = new StoreOrders({ url, key: 'key', onRetry: (retry) => again.push(retry) });
    const call = failureOf(watched.place(NEW, { signal: during.signal }));
    await expect.poll(() => at.server.received.length).toBe(1);
    during.abort(reason);
    const error = await call;
    expect(error).toMatchObject({ code: 'aborted', cause: reason, attempts: 1 });
    expect(error.message).toBe(`POST ${url}/v2/store/orders: aborted`);
    expect(again).toEqual([]);

    const busy = refusal(503, 'service_unavailable', { 'Retry-After': '30' });
    await using other = await clientOf([busy]);
    const between = new AbortController();
    const onRetry = () => between.abort(reason);
    const store = new StoreOrders({ url: other.server.url, key: 'key', onRetry });
    const waiting = failureOf(store.get('1', { signal: between.signal }));
    expect(await waiting).toMatchObject({ code: 'aborted', cause: reason, attempts: 1 });
  });
});

describe('Hooks', () => {
  it('see every attempt, and may add headers', async () => {
    const seen: unknown[] = [];
    await using at = await clientOf([cut, refusal(503, 'service_unavailable'), PLACED], {
      onRequest({ attempt, method, url, headers }) {
        seen.push([
          'request',
          attempt,
          method,
          new URL(url).pathname,
          headers.get('Authorization'),
        ]);
        headers.set('traceparent', `attempt-${attempt}`);
      },
      onResponse: ({ attempt, status, durationMs }) => {
        seen.push(['response', attempt, status, durationMs >= 0]);
      },
      onRetry: ({ attempt, error, delayMs }) => {
        seen.push(['retry', attempt, error.code, delayMs >= 0]);
      },
    });
    await at.store.place(NEW);
    const path = '/v2/store/orders';
    expect(seen).toEqual([
      ['request', 1, 'POST', path, null],
      ['retry', 1, 'network', true],
      ['request', 2, 'POST', path, null],
      ['response', 2, 503, true],
      ['retry', 2, 'service_unavailable', true],
      ['request', 3, 'POST', path, null],
      ['response', 3, 201, true],
    ]);
    const { received } = at.server;
    expect(received.map(({ headers }) => headers.traceparent)).toEqual(
      [1, 2, 3].map((n) => `attempt-${n}`),
    );
    expect(received.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => 'Bearer key'),
    );
  });

  it('are told the duration of an attempt in milliseconds', async () => {
    const durations: number[] = [];
    const onResponse = ({ durationMs }: { durationMs: number }) => durations.push(durationMs);
    const slowly: Reply = async (res, request) => {
      await setTimeout(50);
      PLACED(res, request);
    };
    await using at = await clientOf([slowly], { onResponse });
    const begun = performance.now();
    await at.store.place(NEW);
    expect(durations).toHaveLength(1);
    // Timers may be early by a millisecond.
    expect(durations[0]).toBeGreaterThanOrEqual(49);
    expect(durations[0]).toBeLessThanOrEqual(performance.now() - begun);
  });

  it('end the call with what they throw', async () => {
    const onResponse = () => {
      throw new RangeError('mine');
    };
    await using at = await clientOf([PLACED], { onResponse });
    await expect(at.store.place(NEW)).rejects.toThrow(RangeError);
  });
});

describe('An API key', () => {
  test.each(['sto_se\ncret', 'sto_secret\u{1f511}'])(
    'such as %j is refused, and not quoted',
    async (key) => {
      await using at = await clientOf([PLACED], { key });
      const error = await failureOf(at.store.place(NEW));
      expect(error).toMatchObject({ code: 'unauthorized', attempts: 0 });
      expect(error.cause).toBeUndefined();
      expect(error.message).toBe('key: it has a character that no API key has');
      expect(at.server.received).toEqual([]);
    },
  );

  it('must be given', () => {
    for (const key of [undefined, null, 1] as unknown as string[]) {
      expect(() => new StoreOrders({ url: 'http://127.0.0.1', key })).toThrow(
        new StoreOrdersError('invalid_request', 'key: must be a text or a function'),
      );
    }
  });
});

test('The key may be a function, which is called for each attempt', async () => {
  let calls = 0;
  const key = async () => `key-${++calls}`;
  await using at = await clientOf([refusal(503, 'service_unavailable'), PLACED], { key });
  await at.store.place(NEW);
  const sent = at.server.received.map(({ headers }) => headers.authorization);
  expect(sent).toEqual(['Bearer key-1', 'Bearer key-2']);
});

test.each([
  [
    'throws',
    () => {
      throw new RangeError('mine');
    },
  ],
  ['rejects', () => Promise.reject(new RangeError('mine'))],
])('A function for the key that %s ends the call with that', async (_, key) => {
  await using at = await clientOf([PLACED], { key });
  await expect(at.store.place(NEW)).rejects.toThrow(RangeError);
  expect(at.server.received).toEqual([]);
});

test('A fetch of the user sends the requests', async () => {
  await using at = await clientOf([PLACED]);
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.push(`${init?.method} ${input}`);
    return globalThis.fetch(input, init);
  };
  await new StoreOrders({ url: `${at.server.url}/shop/v1/`, key: 'key', fetch }).place(NEW);
  expect(sent).toEqual([`POST ${at.server.url}/shop/v2/store/orders`]);
});

test('A refused atomic batch has the outcomes of its items', async () => {
  const results = [{ orderId: '1', status: 404, code: 'order_not_found', message: 'No.' }];
  const error = { code: 'batch_refused', message: 'Nothing was changed.', status: 409, results };
  await using at = await clientOf([json(409, error)]);
  const refused = await failureOf(
    at.store.batchCancel([1n, '2'], { atomic: true, reason: 'other' }),
  );
  expect(refused).toMatchObject({ code: 'batch_refused', results });
  expect(at.server.received[0]).toMatchObject({
    url: '/v2/store/orders:batchCancel',
    body: '{"orderIds":["1","2"],"reason":"other","atomic":true}',
  });
});

test('A batch of new orders says whether it is atomic, if the caller does', async () => {
  const done = json(200, { results: [], succeeded: 0, failed: 0 });
  await using at = await clientOf([done, done, done]);
  await at.store.batchPlace([]);
  await at.store.batchPlace([], { atomic: true });
  await at.store.batchPlace([], { atomic: false });
  expect(at.server.received.map(({ body }) => body)).toEqual([
    '{"orders":[]}',
    '{"orders":[],"atomic":true}',
    '{"orders":[],"atomic":false}',
  ]);
});

test('An update ends with a failure that no change of the order explains', async () => {
  await using at = await clientOf([PLACED, refusal(403, 'insufficient_scope'), PLACED]);
  const update = at.store.update('1', () => ({ cancel: true }));
  expect(await failureOf(update)).toMatchObject({ code: 'insufficient_scope' });
  expect(at.server.received.map(({ method }) => method)).toEqual(['GET', 'DELETE']);
});

test('An update takes no longer than its timeout, however often the order changes', async () => {
  let version = 0;
  const changed: Reply = (res, request) => {
    version += 1;
    const reply =
      request.method === 'GET'
        ? json(200, ORDER, { ETag: `"x-${version}"` })
        : refusal(412, 'precondition_failed');
    setTimeout(20).then(() => reply(res, request));
  };
  await using at = await clientOf([changed], { timeoutMs: Infinity });
  const update = at.store.update('1', () => ({ cancel: true }), { timeoutMs: 1_000 });
  const ended = await Promise.race([failureOf(update), setTimeout(20_000)]);
  expect(ended).toMatchObject({ code: 'timeout' });
  expect(at.server.received.length).toBeGreaterThan(2);
});

test('Calls with one signal have one listener, and leave none behind', async () => {
  await using at = await clientOf([PLACED, silence]);
  const stop = new AbortController();
  const { signal } = stop;
  await at.store.get('1', { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  const calls = Array.from({ length: 12 }, () => failureOf(at.store.get('1', { signal })));
  expect(getEventListeners(signal, 'abort')).toHaveLength(1);
  stop.abort();
  const codes = (await Promise.all(calls)).map(({ code }) => code);
  expect(codes).toEqual(calls.map(() => 'aborted'));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('A Date that is not valid is refused', async () => {
  await using at = await clientOf([PLACED]);
  const shipDate = new Date(Number.NaN);
  for (const call of [at.store.place({ ...NEW, shipDate }), at.store.ship('1', shipDate)]) {
    expect(await failureOf(call)).toMatchObject({
      code: 'invalid_request',
      message: 'a time must be a valid Date, or a text',
    });
  }
  expect(at.server.received).toEqual([]);
});
