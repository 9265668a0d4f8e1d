import { expect, it, vi } from 'vitest';
import type { Route } from '../../../src/console/state/routes.ts';

const heard = new Map<string, () => void>();
vi.stubGlobal('addEventListener', (type: string, hear: () => void) => heard.set(type, hear));
/** The addresses that entries of the history were given. */
const written: string[] = [];
const history = {
  state: null as unknown,
  pushState: (state: unknown, _: string, address: string) =>
    history.replaceState(state, _, address),
  replaceState(state: unknown, _: string, address: string) {
    history.state = state;
    written.push(`${address.replace(/.*console/, '')} ${JSON.stringify(state)}`);
  },
};
vi.stubGlobal('history', history);
vi.stubGlobal('location', { href: '', search: '' });
// Its types are those of browsers, which tests have not.
const { addressOf, moves, moveTo, route, savedRow, saveRow, staying, unused } =
  await vi.importActual<{
    addressOf: (to: Route) => string;
    moves: { readonly value: number };
    moveTo: (to: Route, isSamePage?: boolean) => void;
    savedRow: () => number | undefined;
    saveRow: (row: number) => void;
    staying: () => () => boolean;
    unused: { readonly value: readonly string[] };
    route: { readonly value: Route };
  }>('../../../src/console/parts/router.ts');

it('A move is one to a page with another heading, in either way', () => {
  const log: Route = { page: 'log' };
  const steps: readonly (readonly [Route, moves: number])[] = [
    [log, 1],
    [{ ...log, type: 'OrderPlaced' }, 0],
    [{ ...log, order: 'oldest' }, 0],
    [{ page: 'order', id: '1' }, 1],
    [{ page: 'order', id: '1', at: '7' }, 0],
    [{ page: 'order', id: '2' }, 1],
    [{ page: 'overview' }, 1],
  ];
  for (const [to, count] of steps) {
    const before = moves.value;
    moveTo(to);
    expect([route.value, moves.value - before]).toEqual([to, count]);
  }
  for (const [to, count] of steps) {
    const before = moves.value;
    const href = addressOf(to);
    vi.stubGlobal('location', { href, search: new URL(href).search });
    heard.get('popstate')?.();
    expect([route.value, moves.value - before]).toEqual([to, count]);
  }
});

it('An answer leads on only if it is to the last question, and the reader is where it was asked', () => {
  const isFirst = staying();
  expect(isFirst()).toBe(true);
  const isSecond = staying();
  expect([isFirst(), isSecond()]).toEqual([false, true]);
  moveTo({ page: 'key' });
  expect(isSecond()).toBe(false);
});

it('The entry of a page is written up to twice a second, and before the next one is added', () => {
  vi.useFakeTimers();
  moveTo({ page: 'orders' });
  vi.stubGlobal('location', { href: addressOf({ page: 'orders' }), search: '' });
  written.length = 0;
  for (let frame = 1; frame <= 600; frame += 1) {
    saveRow(frame);
    expect(savedRow()).toBe(frame);
    vi.advanceTimersByTime(1_000 / 60);
  }
  expect(written.length).toBeLessThanOrEqual(21);
  written.length = 0;
  saveRow(4_711);
  moveTo({ page: 'orders', order: 'desc' }, true);
  moveTo({ page: 'log' });
  const kept = '/orders?order=desc {"row":4711}';
  expect(written.slice(-2)).toEqual([kept, '/log null']);
  // The entry before has another place, over which what waits is not written.
  written.length = 0;
  saveRow(1);
  heard.get('popstate')?.();
  vi.advanceTimersByTime(1_000);
  expect(written).toEqual([]);
  vi.useRealTimers();
});

it('A move within a page is written at once, unless a key is held down', () => {
  vi.useFakeTimers();
  moveTo({ page: 'travel' });
  written.length = 0;
  saveRow(5);
  const last = ' {"row":5}';
  // A reload reads the address as it is now.
  for (let at = 1; at <= 20; at += 1) {
    moveTo({ page: 'travel', at: `${at}` }, true);
    expect(written.at(-1)).toBe(`/travel?at=${at}${last}`);
  }
  for (let at = 21; at <= 300; at += 1) {
    moveTo({ page: 'travel', at: `${at}` }, true);
    vi.advanceTimersByTime(1_000 / 30);
  }
  // Safari throws beyond 100 in 10 seconds.
  expect(written.length).toBeLessThanOrEqual(50);
  heard.get('pagehide')?.();
  expect(written.at(-1)).toBe(`/travel?at=300${last}`);
  vi.useRealTimers();
});

it('The parameters that a page does not use are told until the next move', () => {
  const href = `${addressOf({ page: 'orders' })}?petId=12x`;
  vi.stubGlobal('location', { href, search: new URL(href).search });
  heard.get('popstate')?.();
  expect(unused.value).toEqual(['petId=12x']);
  moveTo({ page: 'orders', status: 'pending' });
  expect(unused.value).toEqual([]);
});
