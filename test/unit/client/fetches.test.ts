import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';

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

describe('A command whose answer cannot be read ends with its key', () => {
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
