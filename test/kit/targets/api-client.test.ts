import type { OutgoingHttpHeaders, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { listening } from '../../support/listening.ts';
import { type Answer, ApiClient } from './api-client.ts';
import { OrdersApi, toldApart } from './orders-api.ts';

async function clientOf(listener: RequestListener): Promise<ApiClient> {
  const { address } = await listening(listener);
  return new ApiClient(`${address}/v1`, 'key');
}

test('a request that is refused until a date is sent again then, and not before', async () => {
  let until: number | undefined;
  let requests = 0;
  const client = await clientOf((_req, res) => {
    requests += 1;
    // In whole seconds, as HTTP writes dates.
    until ??= 1_000 * Math.floor(Date.now() / 1_000 + 3);
    const isOver = Date.now() >= until;
    const headers = isOver ? {} : { 'retry-after': new Date(until).toUTCString() };
    res.writeHead(isOver ? 200 : 429, headers).end();
  });
  const { status } = await client.ask('GET', '/store/orders');
  expect([status, requests, client.limited]).toEqual([200, 2, 1]);
  client.close();
});

/** Resolves with the status of a request whose first answer was given, and with the number of requests. */
async function afterFirst(headers: OutgoingHttpHeaders, body = '') {
  let requests = 0;
  const client = await clientOf((_req, res) => {
    requests += 1;
    if (requests === 1) res.writeHead(503, headers).end(body);
    else res.writeHead(200).end();
  });
  const { status } = await client.ask('DELETE', '/store/orders/1');
  client.close();
  return [status, requests, client.unavailable];
}

test('a request to a server that is unavailable for a moment is sent again', async () => {
  const error = '{"code":"service_unavailable","message":"Busy.","status":503}';
  expect(await afterFirst({ 'retry-after': '1' }, error)).toEqual([200, 2, 1]);
  expect(await afterFirst({ 'retry-after': '1' })).toEqual([200, 2, 1]);
});

test('a 503 without a Retry-After, or whose outcome is unknown, is an answer', async () => {
  const error = '{"code":"outcome_unknown","message":"Unknown.","status":503}';
  expect(await afterFirst({})).toEqual([503, 1, 0]);
  expect(await afterFirst({ 'retry-after': '1' }, error)).toEqual([503, 1, 0]);
});

test('requests that are refused together are not sent again together', async () => {
  let underWay = 0;
  const client = await clientOf((_req, res) => {
    if (underWay === 2) return void res.writeHead(429, { 'retry-after': '1' }).end();
    underWay += 1;
    setTimeout(() => {
      underWay -= 1;
      res.writeHead(200).end();
    }, 5);
  });
  const asked = Array.from({ length: 40 }, () => client.ask('GET', '/store/orders'));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  client.close();
});

test.each(['gzip', 'GZip', 'x-gzip'])(
  'an answer is decompressed if its coding is %s',
  async (coding) => {
    const client = await clientOf((_req, res) => {
      res.writeHead(200, { 'content-encoding': coding }).end(gzipSync('[]'));
    });
    const { text } = await client.ask('GET', '/store/orders');
    expect(text).toBe('[]');
    client.close();
  },
);

test('a request that waits ends with its client', async () => {
  let answered = () => {};
  const refused = new Promise<void>((resolve) => {
    answered = resolve;
  });
  const client = await clientOf((_req, res) => {
    res.writeHead(429, { 'retry-after': '3600' }).end(() => setTimeout(answered, 50));
  });
  const ended = expect(client.ask('GET', '/store/orders')).rejects.toThrow('aborted');
  await refused;
  client.close();
  await ended;
});

test('a call of an adapter is limited like a request', async () => {
  const client = new ApiClient('http://127.0.0.1:1/v1', 'key');
  const adapter = { place: () => new Promise<never>(() => {}) };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const placed = new OrdersApi(client, 'key', { adapter }).place({ petId: 1n, quantity: 1 });
    const refused = expect(placed).rejects.toThrow(
      "the adapter's place failed: it has no answer within 30000 ms",
    );
    expect(client.unanswered).toBe("the adapter's place");
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    expect(client.unanswered).toBeUndefined();
  } finally {
    vi.useRealTimers();
    client.close();
  }
});

test('two responses that differ are shown in a form in which they do', () => {
  const answer = (text: string, status = 200): Answer => ({ status, text, header: () => '' });
  const long = '{"orders":[0123456789]}'.repeat(20);
  const shown = (one: string, other: string) => toldApart(answer(one), answer(other));
  expect(shown('{}', '{} ')).toEqual(['200 {}', '200 {}\\u0020']);
  expect(shown('', ' ')).toEqual(['200 without a body', '200 \\u0020']);
  expect(shown(`${long}a`, `${long}b`)).toEqual([
    expect.stringMatching(/^200 ….{40}a$/),
    expect.stringMatching(/^200 ….{40}b$/),
  ]);
  expect(shown(long, `${long}\n`)).toEqual([
    expect.stringMatching(/^200 ….{40}$/),
    expect.stringMatching(/^200 ….{40}\\u000a$/),
  ]);
  expect(toldApart(answer('{}'), answer('{}', 201))).toEqual(['200 {}', '201 {}']);
});
