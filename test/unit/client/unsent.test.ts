import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { type CallOptions, type ClientOptions, StoreOrders } from '../../../src/client/client.ts';
import { failureOf } from '../../support/client-failure.ts';
import { fakeTimersOf } from '../../support/own-timers.ts';

/** Attempts that end before their request is sent. */

const NEW = { petId: '7', quantity: 1 };
const PLACED = { id: '1', ...NEW, complete: false, status: 'pending' };
const never = new Promise<never>(() => undefined);

beforeEach(() => void fakeTimersOf('src/client/limit.ts', ['performance']));
afterEach(() => void vi.useRealTimers());

type Sent = () => Promise<Response>;
const placed: Sent = async () => Response.json(PLACED, { status: 201 });
const refusedWith = (status: number, code: string) => async () =>
  Response.json({ status, code, message: 'No.' }, { status });
const unauthorized = refusedWith(401, 'unauthorized');
const cut: Sent = () => Promise.reject(new TypeError('fetch failed'));

/** One step for each attempt: the answer to its request, or `late` if its key does not come in time. */
type Step = Sent | 'late';

/** Returns a client whose attempts take one step each, and the number of requests that it has sent. */
function clientOf(steps: readonly Step[], options: Partial<ClientOptions> = {}) {
  const sent = vi.fn<typeof globalThis.fetch>(() => (steps[attempt - 1] as Sent)());
  let attempt = 0;
  const key = () => {
    attempt += 1;
    return steps[attempt - 1] === 'late' ? never : 'key';
  };
  const base = { url: 'http://127.0.0.1', timeoutMs: Infinity, retries: steps.length - 1 };
  const store = new StoreOrders({ ...base, key, fetch: sent, ...options });
  return { store, sent };
}

/** Lets all timers run out until a call has ended. */
async function ended<Result>(call: Promise<Result>): Promise<Result> {
  await vi.runAllTimersAsync();
  return call;
}

describe('An attempt whose key is late', () => {
  it('has sent nothing', async () => {
    const { store, sent } = clientOf(['late', 'late', 'late']);
    const error = await ended(failureOf(store.place(NEW)));
    expect(error).toMatchObject({ code: 'timeout', attempts: 0 });
    expect(sent).not.toHaveBeenCalled();
  });

  it('leaves no outcome open', async () => {
    const { store } = clientOf(['late', unauthorized]);
    const error = await ended(failureOf(store.place(NEW)));
    expect(error).toMatchObject({ code: 'unauthorized', message: 'No.', attempts: 1 });
  });

  it('leaves an outcome open that is open already', async () => {
    const { store } = clientOf([cut, 'late', unauthorized]);
    const error = await ended(failureOf(store.place(NEW)));
    expect(error).toMatchObject({ code: 'outcome_unknown', attempts: 2 });
    expect(error.cause).toMatchObject({ code: 'unauthorized' });
  });

  it('is not counted before a success', async () => {
    const { store } = clientOf(['late', placed]);
    const call = store.request({ method: 'POST', path: '/v2/store/orders', body: '{}' });
    expect(await ended(call)).toMatchObject({ status: 201, attempts: 1 });
  });

  it('is not counted if the key that comes at last is none', async () => {
    let calls = 0;
    const key = () => (++calls === 1 ? never : 'a\nb');
    const { store, sent } = clientOf(['late', placed], { key });
    const error = await ended(failureOf(store.place(NEW)));
    expect(error).toMatchObject({ code: 'unauthorized', attempts: 0 });
    expect(sent).not.toHaveBeenCalled();
  });
});

describe('A signal', () => {
  it('that aborts while the key is waited for has stopped the request', async () => {
    const stop = new AbortController();
    const { store } = clientOf([cut, 'late'], { onRequest: ({ attempt }) => begun(attempt) });
    const begun = (attempt: number) => attempt === 2 && queueMicrotask(() => stop.abort());
    const error = await ended(failureOf(store.place(NEW, { signal: stop.signal })));
    expect(error).toMatchObject({ code: 'aborted', attempts: 1 });
  });

  it('that aborts between two attempts without a request is after none', async () => {
    const stop = new AbortController();
    const { store } = clientOf(['late', placed], { onRetry: () => stop.abort() });
    const error = await ended(failureOf(store.place(NEW, { signal: stop.signal })));
    expect(error).toMatchObject({ code: 'aborted', attempts: 0 });
  });

  test.each([
    ['a hook', (stop: AbortController) => ({ key: 'key', onRequest: () => stop.abort('enough') })],
    ['the function for the key', (stop: AbortController) => ({ key: () => abort(stop) })],
  ])('that %s aborts has stopped the request', async (_, options) => {
    const stop = new AbortController();
    const { store, sent } = clientOf([placed], options(stop));
    const error = await ended(failureOf(store.place(NEW, { signal: stop.signal })));
    expect(error).toMatchObject({ code: 'aborted', attempts: 0, cause: 'enough' });
    expect(sent).not.toHaveBeenCalled();
  });

  function abort(stop: AbortController): string {
    stop.abort('enough');
    return 'key';
  }
});

describe('A call without time left', () => {
  type Call = (store: StoreOrders, options: CallOptions) => Promise<unknown>;

  test.each<[string, Call]>([
    ['place', (store, options) => store.place(NEW, options)],
    ['get', (store, options) => store.get('1', options)],
    ['ship', (store, options) => store.ship('1', new Date(0), options)],
    ['cancel', (store, options) => store.cancel('1', options)],
    [
      'cancel with a reason',
      (store, options) => store.cancel('1', { ...options, reason: 'other' }),
    ],
    ['batchCancel', (store, options) => store.batchCancel(['1'], options)],
    ['batchPlace', (store, options) => store.batchPlace([NEW], options)],
    ['update', (store, options) => store.update('1', () => ({ cancel: true }), options)],
    ['list', (store, options) => store.list({}, options).pages().next()],
    ['events.list', (store, options) => store.events.list({}, options).pages().next()],
    ['receipt', (store, options) => store.receipt('1', options).text()],
    ['request', (store, options) => store.request({ method: 'GET', path: '/v2/key' }, options)],
  ])('has sent nothing and called no hook: %s', async (_, call) => {
    for (const options of [{ timeoutMs: 0 }, { attemptTimeoutMs: 0, retries: 0 }]) {
      const onRequest = vi.fn();
      const { store, sent } = clientOf([placed], { onRequest });
      const error = await ended(failureOf(call(store, options)));
      expect(error).toMatchObject({ code: 'timeout', attempts: 0 });
      expect(sent).not.toHaveBeenCalled();
      expect(onRequest).not.toHaveBeenCalled();
    }
  });

  test('has no stream opened', async () => {
    const stop = new AbortController();
    const onInterrupt = vi.fn(() => stop.abort());
    const { store, sent } = clientOf([placed], { attemptTimeoutMs: 0 });
    const events = store.events.follow({ signal: stop.signal, onInterrupt });
    expect(await ended(events.next())).toMatchObject({ done: true });
    expect(sent).not.toHaveBeenCalled();
  });
});

describe('An update whose decision', () => {
  /** Returns a client of one order, which may be read and never changed. */
  const readable = (options: CallOptions = {}) =>
    clientOf([async () => Response.json(PLACED, { headers: { ETag: '"c"' } })], options);

  test.each([
    ['comes after its time', () => new Promise((done) => setTimeout(done, 700))],
    ['never comes', () => never],
  ])('%s is not carried out', async (_, wait) => {
    const { store, sent } = readable();
    const decide = async () => wait().then(() => ({ cancel: true }) as const);
    const error = await ended(failureOf(store.update('1', decide, { timeoutMs: 500 })));
    expect(error).toMatchObject({ code: 'timeout', attempts: 0 });
    expect(error.message).toBe('The decision on order 1: no answer in time');
    expect(sent).toHaveBeenCalledOnce();
  });

  test.each(['the call', 'the client'])('never comes ends with the signal of %s', async (of) => {
    const stop = new AbortController();
    const { signal } = stop;
    const isOwn = of === 'the call';
    const { store, sent } = readable(isOwn ? {} : { signal });
    const decide = () => {
      setTimeout(() => stop.abort('enough'), 10);
      return never;
    };
    const error = await ended(failureOf(store.update('1', decide, isOwn ? { signal } : {})));
    expect(error).toMatchObject({ code: 'aborted', attempts: 0, cause: 'enough' });
    expect(sent).toHaveBeenCalledOnce();
  });
});

describe('A hook that never ends', () => {
  test.each([
    ['onResponse', placed],
    ['onRetry', cut],
  ])('is given up with its call: %s', async (name, step) => {
    const { store } = clientOf([step, placed], { timeoutMs: 500, [name]: () => never });
    const error = await ended(failureOf(store.place(NEW)));
    expect(error).toMatchObject({ code: 'timeout', attempts: 1 });
  });
});

test('A stream whose key is late has sent nothing', async () => {
  const onInterrupt = vi.fn(() => stop.abort());
  const stop = new AbortController();
  const { store } = clientOf(['late'], { timeoutMs: 1 });
  const events = store.events.follow({ signal: stop.signal, onInterrupt });
  expect(await ended(events.next())).toMatchObject({ done: true });
  const late = expect.objectContaining({ code: 'timeout', attempts: 0 });
  expect(onInterrupt).toHaveBeenCalledWith(late, expect.any(Number));
});

test('Attempts are the requests that were sent, and only those leave an outcome open', async () => {
  const refused = refusedWith(429, 'rate_limited');
  const step = fc.constantFrom<Step>('late', cut, refused);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (before) => {
      const { store, sent } = clientOf([...before, unauthorized]);
      const { code, attempts } = await ended(failureOf(store.place(NEW)));
      expect(attempts).toBe(sent.mock.calls.length);
      expect(attempts).toBe(before.filter((each) => each !== 'late').length + 1);
      expect(code).toBe(before.includes(cut) ? 'outcome_unknown' : 'unauthorized');
    }),
  );
});
