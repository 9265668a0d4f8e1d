import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreOrders, StoreOrdersError } from '../../../src/client/client.ts';
import { runs } from '../../support/nightly.ts';

/** The client before whatever may answer in the service's place: a proxy, a page to log in, another program. */

const ORDER = { id: '1', petId: '7', quantity: 1, complete: false, status: 'pending' };
const EVENT = { id: '1', source: '/store-orders/a', type: 'OrderShipped', position: 1, data: {} };

/** Every operation that reads an answer, to the end of what it returns. */
const OPERATIONS = {
  place: (store) => store.place({ petId: 1n, quantity: 1 }),
  get: (store) => store.get('1'),
  ship: (store) => store.ship('1', '2026-01-01T00:00:00Z'),
  cancel: (store) => store.cancel('1'),
  'cancel for a reason': (store) => store.cancel('1', { reason: 'other' }),
  update: (store) => store.update('1', () => ({ cancel: true })),
  list: (store) => Array.fromAsync(store.list()),
  batchPlace: (store) => store.batchPlace([{ petId: 1n, quantity: 1 }]),
  batchCancel: (store) => store.batchCancel(['1']),
  summary: (store) => store.summary(),
  activity: (store) => store.activity(),
  whoAmI: (store) => store.whoAmI(),
  epochs: (store) => store.epochs(),
  receipt: (store) => store.receipt('1').text(),
  checkpoint: (store) => store.checkpoint(),
  'events of an order': (store) => store.events.of('1'),
  'events of the log': (store) => Array.fromAsync(store.events.list()),
  follow: (store) => Array.fromAsync(store.events.follow({ over: 'stream' })),
  'version 1: list': (store) => store.v1.list(),
  'version 1: place': (store) => store.v1.place({ petId: 1n, quantity: 1 }),
} satisfies Readonly<Record<string, (store: StoreOrders) => Promise<unknown>>>;

const COUNTS = { pending: 0, shipped: 0, cancelled: 0, placed: 0, total: 0 };
const COUNTED = { orders: COUNTS, data: [{ start: '', ...COUNTS }] };
/** Values that are no number of anything. */
const OTHER_NUMBERS = [-5, 1.5, 1e21, 'many', null];

const operations = Object.entries(OPERATIONS as Record<string, (store: StoreOrders) => unknown>);

/** Returns a client of a service that answers each request with a copy of one response. */
function clientOf(answer: () => Response): StoreOrders {
  const fetch = async () => answer();
  return new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
}

describe.each(operations)('%s', (name, call) => {
  const contentType = name === 'follow' ? 'text/event-stream' : 'application/json';
  const answered = (text: string) => {
    const body = name === 'follow' ? `id: 1\ndata: ${text}\n\n` : text;
    const headers = { 'Content-Type': contentType };
    return call(clientOf(() => new Response(body, { headers })));
  };

  test.each([
    // An empty list is one of orders and of events.
    ...(/^(?:events|version 1: list)/.test(name) ? [] : ['[]']),
    ...['{}', 'null', '1', '"x"', '{"ok":true}', '[null]', '{"data":null,"next":null}'],
    ...['{"data":[null],"next":null}', '{"data":[],"next":1}', '{"id":"1"}', '{"results":{}}'],
    // Ids that something on the way has read as numbers, and rounded.
    ...['9223372036854775807.0', '9.223372036854776e+18', '1e300'].flatMap((petId) => {
      const order = JSON.stringify({ ...ORDER, petId: 0 }).replace('"petId":0', `"petId":${petId}`);
      return [order, `[${order}]`, `{"data":[${order}],"next":null,"asOf":1}`];
    }),
    ...[
      { ...ORDER, id: undefined },
      { ...ORDER, petId: {} },
      { ...ORDER, petId: ['7'] },
      { ...ORDER, quantity: '1' },
      { ...EVENT, data: null },
      [{ ...EVENT, data: null }],
      ...OTHER_NUMBERS.map((asOf) => ({ asOf, ...COUNTED })),
      ...OTHER_NUMBERS.map((total) => ({ asOf: 1, orders: { ...COUNTS, total } })),
      ...OTHER_NUMBERS.map((placed) => ({ asOf: 1, data: [{ start: '', ...COUNTS, placed }] })),
      { asOf: 1, orders: { total: 0 }, data: [{ start: '' }] },
      { asOf: 1, ...COUNTED, lastEventAt: 1, data: 1 },
    ].map((other) => JSON.stringify(other)),
  ])('does not take %s for an answer', async (text) => {
    await expect(answered(text)).rejects.toMatchObject({
      name: 'StoreOrdersError',
      code: 'unexpected_response',
      status: name === 'follow' ? expect.anything() : 200,
    });
  });
});

/** A body without an end, and how many pieces of 64 KiB were taken of it. */
function endless(piece: string) {
  const bytes = new TextEncoder().encode(piece.repeat(65_536 / piece.length));
  const taken = { pieces: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken.pieces += 1;
      if (taken.pieces > 1_000) throw new Error('the test has waited for long enough');
      controller.enqueue(bytes);
    },
  });
  return { body, taken };
}

describe('An answer without an end', () => {
  // A list of version 1 has as many orders as the store: it is tried below.
  const bounded = operations.filter(([name]) => name !== 'version 1: list');

  test.each(bounded)('is not read on: %s', async (name, call) => {
    const { body, taken } = endless('[');
    let signal: AbortSignal | null | undefined;
    const fetch = async (_: unknown, init?: RequestInit) => {
      signal = init?.signal;
      const type = name === 'follow' ? 'text/event-stream' : 'application/json';
      return new Response(body, { headers: { 'Content-Type': type } });
    };
    const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch });
    await expect(call(store)).rejects.toMatchObject({
      name: 'StoreOrdersError',
      code: 'unexpected_response',
      status: 200,
      message: expect.stringMatching(
        /more than (?:16777216|1048576) characters, which is too long$/,
      ),
    });
    // 16 MiB, or 1 MiB of one event.
    expect(taken.pieces * 65_536).toBeLessThanOrEqual((name === 'follow' ? 2 : 17) * 2 ** 20);
    expect(signal?.aborted).toBe(true);
  });

  test('is not read on where it is a refusal of a list of version 1', async () => {
    const { body } = endless('{"message":"');
    const store = clientOf(() => new Response(body, { status: 400 }));
    const failure = { code: 'unexpected_response', status: 400, attempts: 1 };
    await expect(store.v1.list()).rejects.toMatchObject(failure);
  });

  test('is not read on where a stream was asked for', async () => {
    const { body } = endless(' ');
    const store = clientOf(() => new Response(body));
    const events = Array.fromAsync(store.events.follow());
    await expect(events).rejects.toMatchObject({ code: 'unexpected_response', status: 200 });
  });

  test.each([
    ['lines of data', 'data: x\n'],
    ['empty lines of data', 'data\rxy\n'],
    ['one line', 'data: xx'],
  ])('is not read on as one event with %s', async (_, piece) => {
    const { body, taken } = endless(piece);
    const headers = { 'Content-Type': 'text/event-stream' };
    const store = clientOf(() => new Response(body, { headers }));
    const events = Array.fromAsync(store.events.follow());
    await expect(events).rejects.toMatchObject({ code: 'unexpected_response', status: 200 });
    expect(taken.pieces).toBeLessThan(200);
  });
});

test('A long answer arrives as a whole, with characters that were divided', async () => {
  const order = { ...ORDER, requestId: 'é'.repeat(1_000) };
  const data = Array.from({ length: 2_000 }, (_, index) => ({ ...order, id: `${2_000 - index}` }));
  const text = JSON.stringify({ data, next: null });
  const bytes = new TextEncoder().encode(text);
  const store = clientOf(() => {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + 9_999));
        at += 9_999;
      },
    });
    return new Response(body);
  });
  const orders = await Array.fromAsync(store.list({ order: 'desc' }));
  expect(orders).toHaveLength(2_000);
  expect(orders.at(-1)).toStrictEqual(order);
});

test('A list of version 1 may be longer than any page', async () => {
  const text = `[${' '.repeat(17 * 2 ** 20)}]`;
  const store = clientOf(() => new Response(text));
  expect(await store.v1.list()).toStrictEqual([]);
  await expect(store.events.of(1n)).rejects.toMatchObject({ code: 'unexpected_response' });
});

test('An answer is read also by a fetch that has no streams', async () => {
  const store = clientOf(() => {
    const response = new Response(JSON.stringify(ORDER), { headers: { ETag: '"1"' } });
    return Object.defineProperty(response, 'body', { value: undefined });
  });
  expect(await store.get('1')).toStrictEqual({ ...ORDER, etag: '"1"' });
});

test('A page to log in is kept neither as a receipt nor as a checkpoint', async () => {
  const receipt = JSON.stringify({ format: 'f', record: '{}', proof: ['AAAA'], checkpoint: 'c' });
  const checkpoint = 'log\n5\nroot=\n\n— log sig\n';
  const pages = ['<html>Log in</html>', '— Log in —\n\n— here please\n', checkpoint, receipt];
  const answers = [...pages, '', receipt.replace('"AAAA"', '5')];
  let at = 0;
  const store = clientOf(() => new Response(answers[at]));
  const kept = store.receipt('1');
  const unexpected = { code: 'unexpected_response', status: 200 };
  for (at = 0; at < answers.length; at += 1) {
    if (answers[at] !== receipt) await expect(kept.text()).rejects.toMatchObject(unexpected);
    const signed = store.checkpoint();
    if (answers[at] === checkpoint) expect(await signed).toBe(checkpoint);
    else await expect(signed).rejects.toMatchObject(unexpected);
  }
  at = answers.indexOf(receipt);
  expect(await kept.text()).toBe(receipt);
});

test.each([[[null]], [[{ status: '404' }]], ['all'], [null], [{}]])(
  'A refused batch with the outcomes %j is none of the API',
  async (results) => {
    const refusal = { code: 'batch_refused', message: 'Nothing was changed.', results };
    const store = clientOf(() => Response.json(refusal, { status: 409 }));
    const failure = await store.batchCancel(['1'], { atomic: true }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'unexpected_response', status: 409 });
    expect(failure.results).toBeUndefined();
  },
);

test('A command that was answered with something else names the key by which it can be repeated', async () => {
  const store = clientOf(() => new Response('{"ok":true}', { headers: { 'X-Request-Id': 'r' } }));
  const place = store.place({ petId: 1n, quantity: 1 }, { idempotencyKey: 'mine' });
  await expect(place).rejects.toMatchObject({
    ...{ code: 'unexpected_response', idempotencyKey: 'mine', attempts: 1, requestId: 'r' },
    message: '200 with other JSON, which is no answer of this API',
  });
});

test('Whatever is answered, each call ends with a value or a StoreOrdersError', async () => {
  const text = fc.oneof(
    fc.json(),
    fc.constantFrom(
      ...[ORDER, EVENT, [ORDER], { data: [ORDER], next: null }].map((it) => JSON.stringify(it)),
    ),
    fc.constantFrom('', '<html>', '{"a":', '{"code":"order_not_found","message":5}', 'data: 1\n\n'),
  );
  const header = fc.constantFrom(
    '',
    '0',
    '1',
    'x',
    '-1',
    'text/event-stream',
    'application/json',
    '<?after=1>',
  );
  const names = fc.constantFrom('Content-Type', 'ETag', 'Link', 'Event-Position', 'Retry-After');
  const status = fc.constantFrom(200, 200, 200, 201, 204, 304, 400, 404, 409, 418, 500, 599);
  await fc.assert(
    fc.asyncProperty(
      // A follower waits and asks again.
      fc.constantFrom(...operations.filter(([name]) => name !== 'follow')),
      status,
      text,
      fc.array(fc.tuple(names, header), { maxLength: 4 }),
      async ([, call], status, text, headers) => {
        let requests = 0;
        const store = clientOf(() => {
          // A list goes on for as long as its pages say.
          if (++requests > 3) return new Response('', { status: 500 });
          return new Response([204, 304].includes(status) ? null : text, { status, headers });
        });
        const failure = await Promise.resolve(call(store)).then(
          () => undefined,
          (error) => error,
        );
        if (failure !== undefined) expect(failure).toBeInstanceOf(StoreOrdersError);
      },
    ),
    { numRuns: runs(2_000) },
  );
});
