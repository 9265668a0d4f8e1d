import { describe, expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { verifyReceipt } from '../../../src/client/receipt-verifier.ts';
import { ProofLog } from '../../support/proof-log.ts';

/** The client before a cache or a proxy that answers with something of the right form that was not asked for. */

const ORDER = { id: '1', petId: '7', quantity: 2, complete: false, status: 'pending' };
const CANCELLED = { ...ORDER, status: 'cancelled', cancelReason: 'other' };
const event = (position: number, orderId = '1') => {
  return {
    ...{ id: `${position}`, source: '/store-orders/a', position, type: 'OrderPlaced' },
    ...{ commandid: 'command', data: { orderId } },
  };
};
const events = (first: number, last: number) =>
  Array.from({ length: last + 1 - first }, (_, n) => event(first + n));
/** An event of order 1, with all members that say which one it is. */
const nth = (version: number) => ({ ...event(version), version });
const page = (...data: object[]) => ({ data, next: null });
const batch = (...ids: string[]) => {
  const results = ids.map((orderId) => ({ orderId, status: 204 }));
  return { results, succeeded: ids.length, failed: 0 };
};
const receipt = (type: string, position: number, orderId: string, signatures = 1) => {
  const record = JSON.stringify({ data: { orderId }, position, type });
  const checkpoint = `log\n5\nroot\n\n${'— log sig\n'.repeat(signatures)}`;
  return { format: 'store-orders/receipt/v1', record, proof: [], checkpoint };
};
const summary = (asOf: number) => {
  return { asOf, orders: { pending: 1, shipped: 0, cancelled: 0, total: 1 } };
};
const activity = (bucket: string) => ({ asOf: 1, bucket, data: [] });

type Call = (store: StoreOrders) => Promise<unknown>;
/** The first answer is the one to the call. */
type Case = readonly [name: string, call: Call, ...answers: unknown[]];

const EVENTS = { Link: '<?after=9>; rel="next"' };
const first: Call = (store) => store.events.list().pages().next();

/** Calls, each with the answer to it, and with answers to others. */
const CASES: readonly Case[] = [
  ['an order', (store) => store.get('1'), ORDER, { ...ORDER, id: '2' }],
  ['an order of version 1', (store) => store.v1.get(1n), { ...ORDER, id: 1 }, { ...ORDER, id: 2 }],
  [
    'a placed order',
    (store) => store.place({ petId: 7n, quantity: 2 }),
    ...[ORDER, { ...ORDER, petId: '8' }, { ...ORDER, quantity: 3 }],
  ],
  ['a shipped order', (store) => store.ship('1', ''), ORDER, { ...ORDER, id: '2' }],
  [
    'a cancelled order',
    (store) => store.cancel('1', { reason: 'other' }),
    ...[CANCELLED, { ...CANCELLED, id: '2' }],
  ],
  [
    'some orders',
    (store) =>
      store
        .list({ id: [1n, '3'] })
        .pages()
        .next(),
    ...[page(ORDER), page(ORDER, { ...ORDER, id: '2' })],
  ],
  [
    'a range of orders',
    (store) => store.list({ fromId: 1n, toId: '10' }).pages().next(),
    ...[page(ORDER, { ...ORDER, id: '9' }), page({ ...ORDER, id: '0' })],
    page({ ...ORDER, id: '10' }),
  ],
  [
    'filtered orders',
    (store) => store.list({ petId: 7n, status: 'pending', complete: false }).pages().next(),
    ...[page(ORDER), page({ ...ORDER, petId: '8' }), page({ ...ORDER, status: 'shipped' })],
    page({ ...ORDER, complete: true }),
  ],
  [
    'orders as of a position',
    (store) => store.list({ asOf: '1.0123abcd:5' }).pages().next(),
    ...[{ ...page(ORDER), asOf: 5 }, { ...page(ORDER), asOf: 4 }, page(ORDER)],
  ],
  [
    'orders as of a time',
    (store) => store.list({ asOf: '2026-01-01T00:00:00+01:00' }).pages().next(),
    { ...page(ORDER), asOf: 4 },
  ],
  [
    'the next page of orders',
    (store) => store.list({ after: 'a' }).pages().next(),
    ...[
      { ...page(), next: 'b' },
      { ...page(), next: 'a' },
    ],
  ],
  [
    'orders by id',
    (store) => store.list().pages().next(),
    ...[
      page(ORDER, { ...ORDER, id: '10' }),
      page(ORDER, ORDER),
      page({ ...ORDER, id: '2' }, ORDER),
    ],
  ],
  [
    'orders by descending id',
    (store) => store.list({ order: 'desc' }).pages().next(),
    ...[
      page({ ...ORDER, id: '10' }, ORDER),
      page(ORDER, ORDER),
      page(ORDER, { ...ORDER, id: '2' }),
    ],
  ],
  ['a summary', (store) => store.summary({ asOf: 5 }), summary(5), summary(4)],
  [
    'a summary of the first epoch',
    (store) => store.summary({ asOf: '0:5' }),
    summary(5),
    summary(4),
  ],
  ['a summary of now', (store) => store.summary(), summary(5)],
  [
    'an activity',
    (store) => store.activity({ bucket: 'day' }),
    ...[activity('day'), activity('hour')],
  ],
  [
    'a batch of cancellations',
    (store) => store.batchCancel([1n, '2']),
    ...[batch('1', '2'), batch('1'), batch('1', '2', '3'), batch('2', '1')],
  ],
  [
    'a batch of new orders',
    (store) => store.batchPlace([{ petId: 7n, quantity: 1 }]),
    ...[batch('9'), batch(), batch('9', '10')],
  ],
  [
    'the events of an order',
    (store) => store.events.of('1'),
    ...[[event(1), event(4)], [event(1, '2')], [event(1), event(4, '2')], []],
    ...[[nth(2), nth(1)], [nth(1), nth(1)], [nth(2)]],
  ],
  // The link is that of position 9.
  ['events', first, events(1, 9), [event(2), event(1)], [event(1), event(1)], [event(10)]],
  ['all events', first, events(1, 9), events(2, 9), events(1, 8), events(1, 9).toSpliced(4, 1)],
  [
    'events behind a position',
    (store) => store.events.list({ after: '1.0123abcd:5' }).pages().next(),
    ...[events(6, 9), [event(5)], [event(1)], events(7, 9), events(5, 9)],
  ],
  [
    'events behind a position of the first epoch',
    (store) => store.events.list({ after: '0:5' }).pages().next(),
    ...[events(6, 9), [event(5)], [event(1)], events(7, 9), events(5, 9)],
  ],
  [
    'events that the API has positions for',
    (store) => store.events.list({ type: 'OrderPlaced' }).pages().next(),
    ...[events(2, 9), [{ ...event(3), id: '4' }]],
  ],
  [
    'a page of events that does not end',
    (store) => store.events.list({ after: 9 }).pages().next(),
    // Its link is that of this very page.
    ...[undefined, [], [event(10)]],
  ],
  [
    'events of a type',
    (store) => store.events.list({ type: 'OrderPlaced' }).pages().next(),
    ...[[event(1)], [{ ...event(1), type: 'OrderShipped' }]],
  ],
  [
    'events of a request',
    (store) => store.events.list({ commandId: 'r' }).pages().next(),
    ...[[{ ...event(1), commandid: 'r/1' }], [event(1)]],
  ],
  [
    'the receipt of a cancellation',
    (store) => store.receipt('1').text(),
    ...[receipt('OrderCancelled', 5, '1'), receipt('OrderCancelled', 5, '2')],
    receipt('OrderPlaced', 5, '1'),
  ],
  [
    'the receipt of an event',
    (store) => store.receipt({ position: '1.0123abcd:5' }).text(),
    ...[receipt('OrderPlaced', 5, '1'), receipt('OrderPlaced', 3, '1')],
  ],
  [
    'the receipt of an event of the first epoch',
    (store) => store.receipt({ position: '0:5' }).text(),
    ...[receipt('OrderPlaced', 5, '1'), receipt('OrderPlaced', 3, '1')],
  ],
  [
    'a witnessed receipt',
    (store) => store.receipt({ position: 5 }, { witnessed: true }).text(),
    ...[receipt('OrderPlaced', 5, '1', 2), receipt('OrderPlaced', 5, '1')],
  ],
];

function answering(answer: unknown, headers: Record<string, string> = {}): StoreOrders {
  const all = { 'Event-Position': '5', ...EVENTS, ...headers };
  const fetch = async () =>
    new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { headers: all });
  return new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
}

const MIXED_UP = {
  code: 'unexpected_response',
  status: 200,
  message: '200 with the answer to another request, which is no answer of this API',
};

const cases = CASES.map(([name, call, right, ...others]) => ({ name, call, right, others }));

describe.each(cases)('The answer to the request for $name', ({ call, right, others }) => {
  test.runIf(right !== undefined)('is taken', async () => {
    await expect(call(answering(right))).resolves.toBeDefined();
  });

  test.each(others.map((other) => ({ other })))('is not $other', async ({ other }) => {
    await expect(call(answering(other))).rejects.toMatchObject(MIXED_UP);
  });
});

test('A checkpoint without cosignatures is none that is witnessed', async () => {
  const checkpoint = 'log\n5\nroot=\n\n— log sig\n';
  expect(await answering(checkpoint).checkpoint()).toBe(checkpoint);
  const unwitnessed = answering(checkpoint).checkpoint({ witnessed: true });
  await expect(unwitnessed).rejects.toMatchObject(MIXED_UP);
  const witnessed = `${checkpoint}— witness sig\n`;
  expect(await answering(witnessed).checkpoint({ witnessed: true })).toBe(witnessed);
});

test.each([
  ['an earlier event', { after: 5 }, `id: 5\ndata: ${JSON.stringify(event(5))}\n\n`],
  ['an earlier position', { after: '1.0123abcd:5' }, 'id: 4\n\n'],
  ['an earlier position of the first epoch', { after: '0:5' }, 'id: 4\n\n'],
  ['no position', {}, 'id: soon\n\n'],
  ['the position of another event', {}, `id: 900\ndata: ${JSON.stringify(event(5))}\n\n`],
  ['another id than its position', {}, `id: 2\ndata: ${JSON.stringify(event(1))}\n\n`],
  ['a gap', {}, `id: 2\ndata: ${JSON.stringify(event(2))}\n\n`],
  ['another type', { type: 'OrderShipped' }, `id: 1\ndata: ${JSON.stringify(event(1))}\n\n`],
  [
    'a repetition',
    {},
    `id: 2\ndata: ${JSON.stringify(event(2))}\n\nid: 2\ndata: ${JSON.stringify(event(2))}\n\n`,
  ],
] as const)('A stream with %s is another than was asked for', async (_, query, text) => {
  const answers = [new Response(text, { headers: { 'Content-Type': 'text/event-stream' } })];
  // Ends a follower that has taken the first answer.
  const refused = { code: 'unauthorized', message: 'No.', status: 401 };
  const fetch = async () => answers.pop() ?? Response.json(refused, { status: 401 });
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch });
  const following = Array.fromAsync(store.events.follow(query));
  await expect(following).rejects.toMatchObject(MIXED_UP);
});

test('A list whose pages name themselves as the next ends', async () => {
  let requests = 0;
  const fetch = async () => {
    requests += 1;
    if (requests > 9) throw new Error('the test has waited for long enough');
    return Response.json({ ...page(ORDER), next: 'a' });
  };
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
  await expect(Array.fromAsync(store.list())).rejects.toMatchObject(MIXED_UP);
  expect(requests).toBe(2);
});

const orderPage = (ids: readonly number[], next: string | null, asOf?: number) => {
  return { data: ids.map((id) => ({ ...ORDER, id: `${id}` })), next, asOf };
};

test.each([
  ['with an order of a page before it', {}, [orderPage([1, 2], 'a'), orderPage([2, 3], 'b')]],
  ['of a page before it', {}, [orderPage([1], 'a'), orderPage([2], 'b'), orderPage([1], 'a')]],
  [
    'before it, in descending order',
    { order: 'desc' },
    [orderPage([5], 'a'), orderPage([6], null)],
  ],
  [
    'as of another position',
    { asOf: '2026-01-01T00:00:00Z' },
    [orderPage([1], 'a', 10), orderPage([2], null, 20)],
  ],
] as const)('A page of a list does not go on with one %s', async (_, query, pages) => {
  let requests = 0;
  const fetch = async () => Response.json(pages[requests++]);
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
  const taken: unknown[] = [];
  const walk = async () => {
    for await (const { data } of store.list(query).pages()) taken.push(...data);
  };
  await expect(walk()).rejects.toMatchObject(MIXED_UP);
  expect(requests).toBe(pages.length);
  expect(taken).toStrictEqual(pages.slice(0, -1).flatMap(({ data }) => data));
});

test('Each walk through a list begins anew, and its last page may be empty', async () => {
  let requests = 0;
  const pages = [orderPage([1], 'a'), orderPage([2], 'b'), orderPage([], null)];
  const fetch = async () => Response.json(pages[requests++ % pages.length]);
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
  const list = store.list();
  for (const _ of [1, 2]) {
    expect((await Array.fromAsync(list)).map(({ id }) => id)).toEqual(['1', '2']);
  }
});

test('A record that cannot be read is left to the verifier', async () => {
  const unread = { ...receipt('OrderCancelled', 5, '1'), record: '{' };
  expect(await answering(unread).receipt('1').text()).toBe(JSON.stringify(unread));
});

test('The receipt of another position is not verified, however genuine it is', async () => {
  const log = new ProofLog(5);
  const genuine = await log.receipt(3);
  const store = answering(genuine);
  const { vkey } = log;
  const right = await store.receipt({ position: 3 }).verify(vkey);
  expect(right).toMatchObject({ ok: true, value: { position: 3 } });
  await expect(store.receipt({ position: 5 }).verify(vkey)).rejects.toMatchObject(MIXED_UP);
  expect(await verifyReceipt(genuine, vkey, 5)).toStrictEqual({
    ok: false,
    reason: 'the receipt is of position 3',
  });
});

test.each([
  [[event(1), event(3)]],
  [[event(1), event(1)]],
  [[event(1), event(2), event(1)]],
  [[event(5)]],
  [events(1, 8)],
])('Positions that are not in order, such as %#, are no answer', async (answer) => {
  await expect(first(answering(answer))).rejects.toMatchObject(MIXED_UP);
});
