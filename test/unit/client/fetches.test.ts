import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { causeOf } from '../../../src/app/outgoing.ts';
import { StoreOrders } from '../../../src/client/client.ts';
import { failureOf } from '../../support/client-failure.ts';
import { json, ScriptedServer } from '../../support/scripted-server.ts';

/** The client with implementations of fetch whose responses differ from those of the standard. */

const ORDER = { id: '1', petId: '7', quantity: 1, complete: false, status: 'pending' };
const NEW = { petId: 7n, quantity: 1 };

function clientBy(respond: () => unknown): StoreOrders {
  const fetch = (async () => respond()) as typeof globalThis.fetch;
  return new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
}

/** Returns a response as node-fetch has it: its body is a stream of Node.js. */
function nodeResponse(text: string, type: string) {
  const bytes = Buffer.from(text);
  const body = Readable.from(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)));
  return { ok: true, status: 200, headers: new Headers({ 'Content-Type': type }), body };
}

describe('A body that is a stream of Node.js', () => {
  test('is read, with characters that were divided', async () => {
    const order = { ...ORDER, note: 'äöü€😀' };
    const store = clientBy(() => nodeResponse(JSON.stringify(order), 'application/json'));
    expect(await store.place(NEW)).toStrictEqual({ ...order, etag: '' });
  });

  test('is followed', async () => {
    const event = { id: '1', source: '/a', type: 'OrderPlaced', position: 1, data: {} };
    const text = `id: 1\ndata: ${JSON.stringify(event)}\n\n`;
    const store = clientBy(() => nodeResponse(text, 'text/event-stream'));
    for await (const got of store.events.follow()) {
      expect(got).toStrictEqual(event);
      break;
    }
  });

  test('that breaks leaves the outcome open', async () => {
    const body = Readable.from([Buffer.from('{')]);
    body.destroy(new Error('broken'));
    const store = clientBy(() => ({ ok: true, status: 201, headers: new Headers(), body }));
    const place = store.place(NEW, { idempotencyKey: 'mine' });
    await expect(place).rejects.toMatchObject({ code: 'network', idempotencyKey: 'mine' });
  });
});

const broken = (): never => {
  throw new TypeError('not here');
};

describe('A command whose answer cannot be read ends with its key', () => {
  const answered = (parts: object) => ({ ok: true, status: 201, headers: new Headers(), ...parts });
  const throwing = (part: string) => Object.defineProperty(answered({}), part, { get: broken });

  test.each([
    ['a body that a wrapper of fetch has locked', () => lockedResponse(), 'network'],
    ['a body that was read before', () => readResponse(), 'network'],
    ['a stream of texts', () => answered({ body: texts().pipeThrough(noBytes()) }), 'network'],
    ['a stream of Node.js of texts', () => answered({ body: Readable.from(['{']) }), 'network'],
    ['a body without its reader', () => answered({ body: { getReader: 5 } }), 'network'],
    ['a reader that cannot read', () => answered({ body: { getReader: () => ({}) } }), 'network'],
    [
      'an iterator that throws',
      () => answered({ body: { [Symbol.asyncIterator]: broken } }),
      'network',
    ],
    ['a text that throws', () => answered({ text: broken }), 'network'],
    ['a body that throws', () => throwing('body'), 'unexpected_response'],
    ['a status that throws', () => throwing('status'), 'unexpected_response'],
    ['headers that throw', () => answered({ headers: { get: broken } }), 'unexpected_response'],
    [
      'the headers of nothing',
      () => answered({ headers: { get: Headers.prototype.get } }),
      'unexpected_response',
    ],
  ])('%s', async (_, response, code) => {
    const place = clientBy(response).place(NEW, { idempotencyKey: 'mine' });
    const failure = { name: 'StoreOrdersError', code, idempotencyKey: 'mine', attempts: 1 };
    await expect(place).rejects.toMatchObject(failure);
  });

  async function readResponse(): Promise<Response> {
    const response = Response.json(ORDER, { status: 201 });
    await response.text();
    return response;
  }

  function lockedResponse(): Response {
    const response = Response.json(ORDER, { status: 201 });
    response.body?.getReader();
    return response;
  }

  const texts = () => new Response('{}').body as ReadableStream;
  const noBytes = () => new TextDecoderStream() as unknown as TransformStream;

  test.each([
    ['nothing', undefined, 'unexpected_response'],
    ['a text', 'done', 'unexpected_response'],
    ['headers in an object', { ok: true, status: 201, headers: {} }, 'unexpected_response'],
    ['no body', { ok: true, status: 201, headers: new Headers() }, 'network'],
    [
      'a body of another kind',
      { ok: true, status: 201, headers: new Headers(), body: 5 },
      'network',
    ],
  ])('%s', async (_, response, code) => {
    const place = clientBy(() => response).place(NEW, { idempotencyKey: 'mine' });
    const failure = { name: 'StoreOrdersError', code, idempotencyKey: 'mine', attempts: 1 };
    await expect(place).rejects.toMatchObject(failure);
  });
});

test('A command whose answer cannot be read is sent again, under the same key', async () => {
  const keys: (string | null)[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    keys.push(new Headers(init?.headers).get('Idempotency-Key'));
    const response = Response.json({ ...ORDER, attempt: keys.length }, { status: 201 });
    if (keys.length === 1) await response.text();
    return response;
  };
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 1 });
  const placed = await store.place(NEW, { idempotencyKey: 'mine' });
  expect(placed).toStrictEqual({ ...ORDER, attempt: 2, etag: '' });
  expect(keys).toStrictEqual(['mine', 'mine']);
});

test('A fetch that throws at once is as one that rejects', async () => {
  const fetch = broken as typeof globalThis.fetch;
  const store = new StoreOrders({ url: 'http://127.0.0.1', key: 'key', fetch, retries: 0 });
  const place = store.place(NEW, { idempotencyKey: 'mine' });
  const failure = { code: 'network', idempotencyKey: 'mine', cause: new TypeError('not here') };
  await expect(place).rejects.toMatchObject(failure);
});

test('A stream that cannot be read is an interruption', async () => {
  const codes: string[] = [];
  const stop = new AbortController();
  const headers = new Headers({ 'Content-Type': 'text/event-stream' });
  const store = clientBy(() => ({
    ok: true,
    status: 200,
    headers,
    body: Readable.from(['id: 1']),
  }));
  const onInterrupt = ({ code }: { readonly code: string }) => {
    codes.push(code);
    stop.abort();
  };
  for await (const _ of store.events.follow({ signal: stop.signal, onInterrupt }));
  expect(codes).toStrictEqual(['network']);
});

test('A port without TLS is named in a few words', async () => {
  await using server = await ScriptedServer.start(json(200, {}));
  const url = server.url.replace('http:', 'https:');
  const store = new StoreOrders({ url, key: 'key', retries: 0 });
  const { message } = await failureOf(store.whoAmI());
  expect(message).toMatch(/^GET https:\S+: SSL routines: [\w ]+$/);
  const [failed] = await Promise.allSettled([fetch(url)]);
  expect(causeOf((failed as PromiseRejectedResult).reason)).toMatch(/^SSL routines: [\w ]+$/);
});
