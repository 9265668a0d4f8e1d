import { describe, expect, it } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { fileOf, healthOf, publicKeyOf } from '../../../src/console/state/open-answers.ts';

const never = () => new Promise<Response>(() => {});

/** Returns a client of a service with one answer. */
function clientOf(answer: () => Response | Promise<Response>) {
  const fetch = async () => answer();
  return new StoreOrders({ url: 'http://orders.example', key: '', fetch, retries: 0 });
}

/** Returns the health according to an answer. */
function health(answer: () => Response | Promise<Response>, timeoutMs?: number) {
  return healthOf(clientOf(answer), new AbortController().signal, timeoutMs);
}

const json =
  (value: unknown, status = 200) =>
  () =>
    Response.json(value, { status });

describe('The health', () => {
  it('is that of the service', async () => {
    expect(await health(json({ status: 'ready' }))).toEqual({ state: 'Ready', message: '' });
    const refusal = { code: 'service_unavailable', message: 'the service is starting' };
    expect(await health(json(refusal, 503))).toEqual({
      state: 'Not ready',
      message: 'the service is starting',
    });
  });

  it.each([
    json({ hello: 1 }),
    json([]),
    json({ message: { a: 1 } }),
    json(null),
    () => new Response('<html>Log in</html>'),
    () => new Response('<html>Bad gateway</html>', { status: 502 }),
    json({ message: 'no', code: 'teapot' }, 503),
  ])('is not known from an answer of something else (%#)', async (answer) => {
    const { state, message } = await health(answer);
    expect(state).toBe('Not known');
    expect(message).toMatch(/which is no answer of this API$/);
  });

  it('is not known without an answer in time', async () => {
    const none = { state: 'Not known', message: 'There was no answer.' };
    expect(await health(never, 20)).toEqual(none);
    expect(await health(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual(none);
  });
});

it('The public key of the service is one', async () => {
  const key = `log.example+0123abcd+${'A'.repeat(44)}`;
  expect(await publicKeyOf(clientOf(() => new Response(`${key}\n`)))).toBe(key);
  for (const text of ['<html>', '', '{}', `${key}A`])
    await expect(publicKeyOf(clientOf(() => new Response(text))), text).rejects.toMatchObject({
      code: 'unexpected_response',
      message: 'The answer is not a public key.',
    });
});

/** Returns the file in an answer. */
function file(answer: () => Response | Promise<Response>, silenceMs?: number) {
  const request = { url: 'http://orders.example/v2/store/orders', headers: {}, type: 'text/csv' };
  return fileOf(async () => answer(), request, silenceMs);
}

const csv = { headers: { 'Content-Type': 'text/csv; charset=utf-8' } };

describe('A file', () => {
  it('is the answer as it is', async () => {
    const blob = await file(() => new Response('id\r\n1\r\n', csv));
    expect(await blob.text()).toBe('id\r\n1\r\n');
    expect(blob.type).toMatch(/^text\/csv;/);
  });

  it('is none if the answer is of another type, or a refusal', async () => {
    await expect(file(() => new Response('<html>'))).rejects.toThrow(
      'The answer is not text/csv, but text/plain;charset=UTF-8.',
    );
    await expect(file(() => new Response('<html>', { status: 502 }))).rejects.toThrow(
      'GET http://orders.example/v2/store/orders: 502, which is no answer of this API',
    );
    const refusal = json({ code: 'rate_limited', message: 'too many requests' }, 429);
    await expect(file(refusal)).rejects.toThrow('too many requests');
  });

  it('is given up when nothing of it comes for too long', async () => {
    await expect(file(never, 20)).rejects.toThrow('There was no answer in time.');
    const cut = new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode('id')) });
    await expect(file(() => new Response(cut, csv), 20)).rejects.toThrow('no answer in time');
  });
});
