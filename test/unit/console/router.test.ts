import { expect, it, vi } from 'vitest';
import type { Route } from '../../../src/console/state/routes.ts';

const heard = new Map<string, () => void>();
vi.stubGlobal('addEventListener', (type: string, hear: () => void) => heard.set(type, hear));
vi.stubGlobal('history', { state: null, pushState() {}, replaceState() {} });
vi.stubGlobal('location', { href: '', search: '' });
// Its types are those of browsers, which tests have not.
const { addressOf, moves, moveTo, route } = await vi.importActual<{
  addressOf: (to: Route) => string;
  moves: { readonly value: number };
  moveTo: (to: Route) => void;
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
