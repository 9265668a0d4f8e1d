import { expect, test, vi } from 'vitest';
import {
  type Follow,
  followInTurn,
  type Locks,
  whileShown,
} from '../../../src/console/state/in-turn.ts';

/** One lock for all, as a browser has it: those that wait for it are called in their order. */
function lockManager(): Locks {
  let before: Promise<unknown> = Promise.resolve();
  const request: Locks['request'] = (_name, { signal }, run) => {
    const turn = before.then(() => {
      signal.throwIfAborted();
      return run();
    });
    before = turn.catch(() => {});
    return turn;
  };
  return { request };
}

/** Notes how the log is followed, until the signal aborts. */
function noting() {
  const ways: string[] = [];
  const follow: Follow = async (over, signal) => {
    ways.push(over);
    await new Promise((done) => signal.addEventListener('abort', done));
    ways.push(`${over} ended`);
  };
  return { ways, follow };
}

test('One page of a browser has the stream, the others ask for pages until it is their turn', async () => {
  const locks = lockManager();
  const [one, other] = [noting(), noting()];
  const [first, second] = [new AbortController(), new AbortController()];
  const done = [
    followInTurn(locks, one.follow, first.signal),
    followInTurn(locks, other.follow, second.signal),
  ];
  await vi.waitFor(() => expect(other.ways).toEqual(['pages']), 10_000);
  expect(one.ways).toEqual(['stream']);
  first.abort();
  await vi.waitFor(() => expect(other.ways).toEqual(['pages', 'pages ended', 'stream']), 10_000);
  second.abort();
  await Promise.all(done);
  expect([one.ways.at(-1), other.ways.at(-1)]).toEqual(['stream ended', 'stream ended']);
});

test.each([
  ['has no locks', undefined],
  ['blocks them', { request: () => Promise.reject(new DOMException('', 'SecurityError')) }],
])('A page of a browser that %s asks for pages', async (_, locks) => {
  const { ways, follow } = noting();
  const ending = new AbortController();
  const done = followInTurn(locks, follow, ending.signal);
  await vi.waitFor(() => expect(ways).toEqual(['pages']), 10_000);
  ending.abort();
  await done;
});

test.each(['stream', 'pages'])('A failure over %s that does not pass ends all', async (failing) => {
  const locks = lockManager();
  const holding = new AbortController();
  if (failing === 'pages') void followInTurn(locks, noting().follow, holding.signal);
  const follow: Follow = () => Promise.reject(new Error('revoked'));
  await expect(followInTurn(locks, follow, new AbortController().signal)).rejects.toThrow(
    'revoked',
  );
  holding.abort();
  // The lock is free for the next one.
  const { ways, follow: noted } = noting();
  const ending = new AbortController();
  const done = followInTurn(locks, noted, ending.signal);
  await vi.waitFor(() => expect(ways).toContain('stream'), 10_000);
  ending.abort();
  await done;
});

test('A page that is hidden holds nothing, and begins again when it is shown', () => {
  const page = Object.assign(new EventTarget(), { hidden: true });
  const signals: AbortSignal[] = [];
  const end = whileShown(page, (signal) => void signals.push(signal));
  const show = (isShown: boolean) => {
    page.hidden = !isShown;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  expect(signals).toHaveLength(0);
  show(true);
  show(true);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  show(false);
  show(true);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  end();
  show(false);
  show(true);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
