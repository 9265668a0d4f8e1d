import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, test, vi } from 'vitest';
import {
  type ClientOptions,
  type ErrorCode,
  StoreOrders,
  StoreOrdersError,
} from '../../../src/client/client.ts';
import { failureOf } from '../../support/client-failure.ts';

/** Functions of the caller that throw an error of this very client, such as that of a call inside them. */

const ORDER = { id: '1', petId: '7', quantity: 1, complete: false, status: 'pending' };
const CODES: readonly ErrorCode[] = [
  'network',
  'timeout',
  'aborted',
  'service_unavailable',
  'precondition_failed',
  'order_cancelled',
  'unauthorized',
];
const URL = 'http://127.0.0.1';

type Thrower = Partial<ClientOptions>;

/** Each function of a client's options, throwing an error. */
const THROWERS: readonly (readonly [name: string, optionsOf: (error: unknown) => Thrower])[] = [
  ['onRequest', (error) => ({ onRequest: () => raise(error) })],
  ['an onRequest that rejects', (error) => ({ onRequest: () => Promise.reject(error) })],
  ['onResponse', (error) => ({ onResponse: () => raise(error) })],
  ['an onResponse that rejects', (error) => ({ onResponse: () => Promise.reject(error) })],
  ['a key function', (error) => ({ key: () => raise(error) })],
  ['a key function that rejects', (error) => ({ key: () => Promise.reject(error) })],
];

function raise(error: unknown): never {
  throw error;
}

const placed = () => Promise.resolve(Response.json(ORDER, { status: 201 }));

describe.each(THROWERS)('What %s throws', (_, optionsOf) => {
  test.each(CODES)('ends a call, if it has the code %s', async (code) => {
    const error = new StoreOrdersError(code, 'mine', { retryAfterMs: 1 });
    const sent = vi.fn<typeof globalThis.fetch>(placed);
    const onRetry = vi.fn();
    const options = { url: URL, key: 'key', fetch: sent, onRetry, ...optionsOf(error) };
    const store = new StoreOrders(options);
    expect(await failureOf(store.place({ petId: 7n, quantity: 1 }))).toBe(error);
    expect(onRetry).not.toHaveBeenCalled();
    expect(sent.mock.calls.length).toBeLessThanOrEqual(1);
  });

  // A hook for answers has none of an event stream.
  const transfers = (['stream', 'pages'] as const).filter(
    (over) => over === 'pages' || !('onResponse' in optionsOf(undefined)),
  );
  test.each(transfers.flatMap((over) => CODES.map((code) => [over, code] as const)))(
    'ends a loop over a %s, if it has the code %s',
    async (over, code) => {
      const error = new StoreOrdersError(code, 'mine');
      const onInterrupt = vi.fn(() => raise('retried'));
      const fetch = () => Promise.resolve(Response.json([]));
      const store = new StoreOrders({ url: URL, key: 'key', fetch, ...optionsOf(error) });
      const events = store.events.follow({ over, onInterrupt });
      expect(await failureOf(events.next())).toBe(error);
      expect(onInterrupt).not.toHaveBeenCalled();
    },
  );
});

describe('An update', () => {
  /** Updates an order that changes all the time. Its first command is answered with 503, if that is asked for. */
  function updating(options: Thrower, isUnavailable = false) {
    const isRefused = [isUnavailable];
    let reads = 0;
    const fetch = async (_: unknown, { method }: RequestInit = {}) => {
      if (method !== 'GET') {
        if (isRefused.shift()) {
          return Response.json({ code: 'service_unavailable', message: 'No.' }, { status: 503 });
        }
        const headers = { ETag: '"c"', 'Event-Position': '2' };
        return Response.json({ ...ORDER, status: 'cancelled' }, { headers });
      }
      reads += 1;
      return Response.json(ORDER, { headers: { ETag: `"${reads}"` } });
    };
    const store = new StoreOrders({ url: URL, key: 'key', fetch, ...options });
    const decide = vi.fn(() => ({ cancel: true }) as const);
    return { decide, failure: failureOf(store.update('1', decide)) };
  }

  /** Returns a hook that throws at the request with a number, from 1. */
  function throwingAt(number: number, error: unknown): () => void {
    let calls = 0;
    return () => {
      calls += 1;
      if (calls === number) throw error;
    };
  }

  const HOOKS = ['onRequest', 'onResponse', 'key'] as const;
  test.each(HOOKS.flatMap((hook) => CODES.map((code) => [hook, code] as const)))(
    'ends with what %s throws at its command, if it has the code %s',
    async (hook, code) => {
      const error = new StoreOrdersError(code, 'mine');
      const throwing = throwingAt(2, error);
      const { decide, failure } = updating({ [hook]: () => throwing() ?? 'key' });
      expect(await failure).toBe(error);
      expect(decide).toHaveBeenCalledOnce();
    },
  );

  test.each(CODES)('ends with what onRetry throws, if it has the code %s', async (code) => {
    const error = new StoreOrdersError(code, 'mine');
    const { decide, failure } = updating({ onRetry: throwingAt(1, error) }, true);
    expect(await failure).toBe(error);
    expect(decide).toHaveBeenCalledOnce();
  });

  it('ends with what a hook throws after the change', async () => {
    const error = new StoreOrdersError('unauthorized', 'mine');
    const { failure } = updating({ onRequest: throwingAt(3, error) });
    expect(await failure).toBe(error);
  });
});

test('An error that onRetry is given ends the call if it is thrown again', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new TypeError('cut')));
  const onRetry = ({ error }: { readonly error: StoreOrdersError }) => raise(error);
  const store = new StoreOrders({ url: URL, key: 'key', fetch, onRetry });
  expect(await failureOf(store.get('1'))).toMatchObject({ code: 'network', attempts: 1 });
  expect(fetch).toHaveBeenCalledOnce();
});

test('What an onRetry rejects with ends the call', async () => {
  const error = new Error('mine');
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.reject(new TypeError('cut')));
  const store = new StoreOrders({
    url: URL,
    key: 'key',
    fetch,
    onRetry: () => Promise.reject(error),
  });
  const [outcome] = await Promise.allSettled([store.get('1')]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: error });
  expect(fetch).toHaveBeenCalledOnce();
});

test('What an onInterrupt rejects with ends a loop over events', async () => {
  const error = new Error('mine');
  const fetch = () => Promise.reject(new TypeError('cut'));
  const store = new StoreOrders({ url: URL, key: 'key', fetch });
  const events = store.events.follow({ onInterrupt: () => Promise.reject(error) });
  const [outcome] = await Promise.allSettled([events.next()]);
  expect(outcome).toMatchObject({ status: 'rejected', reason: error });
});

test('A request is sent when its hook has ended, with the headers added by then', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>(() => Promise.resolve(Response.json(ORDER)));
  const store = new StoreOrders({
    url: URL,
    key: 'key',
    fetch,
    onRequest: async ({ headers }) => {
      await nextTurn();
      headers.set('Trace', 'x');
    },
  });
  await store.get('1');
  expect(new Headers(fetch.mock.lastCall?.[1]?.headers).get('Trace')).toBe('x');
});

test('A hook that never ends is given up with its attempt', async () => {
  const onRequest = () => new Promise<void>(() => {});
  const store = new StoreOrders({
    url: URL,
    key: 'key',
    fetch: placed,
    retries: 0,
    attemptTimeoutMs: 20,
    onRequest,
  });
  expect(await failureOf(store.get('1'))).toMatchObject({ code: 'timeout', attempts: 0 });
});

test.each([undefined, null, 1, {}])('A key function that returns %s sends nothing', async (key) => {
  const sent = vi.fn<typeof globalThis.fetch>(placed);
  const store = new StoreOrders({ url: URL, key: () => key as never, fetch: sent });
  const failure = await failureOf(store.get('1'));
  expect(failure).toMatchObject({ code: 'unauthorized', attempts: 0 });
  expect(failure.message).toBe('key: its function has returned no text');
  expect(sent).not.toHaveBeenCalled();
});

test('A key that another client gets ends the call with the failure of that client', async () => {
  const broken = {
    url: URL,
    key: 'key',
    retries: 0,
    fetch: () => Promise.reject(new Error('cut')),
  };
  const keys = new StoreOrders(broken);
  const key = async () => (await keys.whoAmI()).id;
  const onRetry = vi.fn();
  const store = new StoreOrders({ url: URL, key, fetch: placed, onRetry });
  const failure = await failureOf(store.place({ petId: 7n, quantity: 1 }));
  expect(failure).toMatchObject({ code: 'network', message: `GET ${URL}/v2/key: cut` });
  expect(onRetry).not.toHaveBeenCalled();
});

test('A value of any kind that a hook throws ends the call as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), async (thrown) => {
      const onRequest = () => raise(thrown);
      const store = new StoreOrders({ url: URL, key: 'key', fetch: placed, onRequest });
      const [outcome] = await Promise.allSettled([store.get('1')]);
      expect(outcome).toHaveProperty('reason');
      expect(Object.is((outcome as PromiseRejectedResult).reason, thrown)).toBe(true);
    }),
  );
});
