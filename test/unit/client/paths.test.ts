import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { StoreOrders } from '../../../src/client/client.ts';
import { failureOf } from '../../support/client-failure.ts';

/** The addresses of requests with a path of the caller: none may take the key to another service. */

/** Returns the address to which a path leads, or the error, and the number of requests. */
async function sentTo(url: string, path: string) {
  const sent = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(Response.json({})));
  const store = new StoreOrders({ url, key: 'key', fetch: sent, retries: 0 });
  const request = store.request({ method: 'GET', path });
  const error = await request.then(
    () => undefined,
    () => failureOf(request),
  );
  return { error, at: sent.mock.lastCall?.[0], count: sent.mock.calls.length };
}

describe('A path', () => {
  test.each([
    ['http://127.0.0.1:3718', '1/steal'],
    ['http://127.0.0.1', ':37181/steal'],
    ['http://127.0.0.1', '\t:37181/steal'],
    ['https://shop.example', '.evil.example/x'],
    ['https://shop.example', '@evil.example/x'],
    ['https://shop.example', ':pass@evil.example/x'],
    ['https://shop.example', 'https://evil.example/x'],
    ['https://shop.example', 'v2/key'],
    ['https://shop.example/orders', '-of-others/x'],
    ['https://shop.example/orders', '?x'],
    ['https://shop.example/orders', '/../x'],
    ['https://shop.example/orders', '/v2/%2e%2E/../x'],
    ['https://shop.example/orders', '/.\t./x'],
    ['https://shop.example/orders', '\\..\\x'],
  ])('that leads away from %s sends nothing: %j', async (url, path) => {
    const { error, count } = await sentTo(url, path);
    expect(error).toMatchObject({ code: 'invalid_request', attempts: 0 });
    expect(error?.message).toBe('path: must begin with / and stay below url');
    expect(count).toBe(0);
  });

  test.each([
    ['https://shop.example', '/v2/key', '/v2/key'],
    ['https://shop.example/orders/v2/', '/v2/key?x=1', '/orders/v2/key?x=1'],
    ['https://shop.example', '//evil.example/x', '//evil.example/x'],
    ['https://shop.example', '\\\\evil.example/x', '//evil.example/x'],
    ['https://shop.example', '/@evil.example', '/@evil.example'],
    ['https://shop.example/orders', '/v2/./x/../key', '/orders/v2/key'],
  ])('that stays below %s is resolved before it is sent: %j', async (url, path, place) => {
    expect(await sentTo(url, path)).toMatchObject({ at: `https://shop.example${place}`, count: 1 });
  });

  test('of any characters leads to the service or nowhere', async () => {
    const piece = fc.constantFrom('/', '..', '.', '\\', '@', ':', '\t', '?', '#', '%2e', '1', 'a');
    const path = fc.oneof(
      fc.array(piece).map((pieces) => pieces.join('')),
      fc.string(),
    );
    const url = fc.constantFrom('https://shop.example', 'http://127.0.0.1:3718/orders');
    await fc.assert(
      fc.asyncProperty(url, path, async (url, path) => {
        const { error, at } = await sentTo(url, path);
        const isBelow = `${at}`.startsWith(`${url}/`) && new URL(`${at}`).href === at;
        expect(isBelow || error?.code === 'invalid_request').toBe(true);
      }),
    );
  });
});
