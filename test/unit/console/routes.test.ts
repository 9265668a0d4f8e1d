import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/app/log/recorded-event.ts';
import { isId } from '../../../src/console/state/ids.ts';
import {
  type Route,
  readRoute,
  STATUSES,
  titleOf,
  unusedIn,
  writeRoute,
} from '../../../src/console/state/routes.ts';
import { readMoment, readSearch } from '../../../src/console/state/typed.ts';

const ids = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const positions = fc.oneof(
  fc.nat(2 ** 31 - 1).map(String),
  fc.constantFrom('0:7', '12.0123abcd:2147483647'),
);
const some = { requiredKeys: ['page' as const], noNullPrototype: true };
const routes: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ page: 'overview' }, { page: 'key' }, { page: 'proof' }),
  fc.nat().map((at): Route => ({ page: 'proof', position: String(at + 1) })),
  ids.map((id): Route => ({ page: 'order', id })),
  fc.tuple(ids, positions).map(([id, at]): Route => ({ page: 'order', id, at })),
  positions.map((at): Route => ({ page: 'travel', at })),
  fc.constantFrom<Route>({ page: 'travel' }, { page: 'travel', asOf: '2026-01-01T00:00:00+01:00' }),
  fc.record(
    {
      page: fc.constant('orders' as const),
      status: fc.constantFrom(...STATUSES),
      asOf: fc.constantFrom('7', '2026-01-01T00:00:00+01:00', 'any & text #=?'),
      petId: ids,
      fromId: ids,
      toId: ids,
      order: fc.constant('desc' as const),
    },
    some,
  ) as fc.Arbitrary<Route>,
  fc.record(
    {
      page: fc.constant('log' as const),
      type: fc.constantFrom(...EVENT_TYPES),
      order: fc.constant('oldest' as const),
      commandId: fc.constantFrom('c-1', 'a:b&c=#'),
      at: positions.filter((at) => at !== '0'),
      paused: fc.constant(true as const),
    },
    some,
  ) as fc.Arbitrary<Route>,
);

describe('The addresses of the console', () => {
  it('restore the whole view', () => {
    fc.assert(
      fc.property(routes, (route) => {
        const [path = '', search = ''] = writeRoute(route).split('?');
        expect(readRoute(path, search)).toStrictEqual(route);
      }),
    );
  });

  it('are read whatever they are', () => {
    fc.assert(
      fc.property(fc.webPath(), fc.webQueryParameters(), (path, search) => {
        expect(titleOf(readRoute(path.slice(1), search))).not.toBe('');
      }),
    );
  });

  it.each([
    ['status=lost&petId=1.5&fromId=99999999999999999999&toId=x&order=up', { page: 'orders' }],
    ['', { page: 'orders' }],
  ])('ignore what is malformed: %s', (search, route) => {
    expect(readRoute('orders', search)).toStrictEqual(route);
  });

  it('use every parameter of a view', () => {
    fc.assert(
      fc.property(routes, (route) => {
        expect(unusedIn(route, writeRoute(route).split('?')[1] ?? '')).toEqual([]);
      }),
    );
  });

  it.each([
    ['orders', 'status=PENDING&petId=12x&petId=&order=asc', ['status=PENDING', 'petId=12x']],
    ['orders', 'status=pending&status=shipped&asOf=%207', ['status=shipped']],
    ['orders/5', 'at=1.0123abc:7', ['at=1.0123abc:7']],
    ['travel', 'at=3&asOf=2026-01-01T00:00:00Z', ['asOf=2026-01-01T00:00:00Z']],
    ['travel', 'asOf=yesterday', ['asOf=yesterday']],
    ['travel', 'asOf=2026-02-30T00:00:00Z', ['asOf=2026-02-30T00:00:00Z']],
    ['travel', 'at=3&asOf=4', ['asOf=4']],
    ['travel', 'asOf=%207', []],
    ['log', 'paused=1&at=0&pet=5', ['at=0', 'pet=5']],
  ])('have parameters that are not used: %s?%s', (path, search, unused) => {
    expect(unusedIn(readRoute(path, search), search)).toEqual(unused);
  });

  it.each([
    ...['orders/9223372036854775808', 'orders/abc', 'orders/1.5'],
    ...['nosuch', 'orders/1/extra', 'log/1', 'overview'],
  ])('lead nowhere: %s', (path) => {
    const route = readRoute(path, '');
    expect(route).toStrictEqual({ page: 'nowhere', path });
    expect(writeRoute(route)).toBe(path);
    expect(titleOf(route)).toBe('Not found');
  });

  it('of time travel have a position under either name', () => {
    fc.assert(
      fc.property(positions, (at) => {
        const route = readRoute('travel', `asOf=${at}`);
        expect(route).toStrictEqual({ page: 'travel', at });
        expect(unusedIn(route, `asOf=${at}`)).toEqual([]);
      }),
    );
  });

  it('may end with a slash', () => {
    expect(readRoute('orders/1/', '')).toStrictEqual({ page: 'order', id: '1' });
    expect(readRoute('key/', '')).toStrictEqual({ page: 'key' });
    expect(readRoute('/', '')).toStrictEqual({ page: 'overview' });
  });

  it('have ids of 64 bits', () => {
    expect(isId('9223372036854775807')).toBe(true);
    expect(isId('9223372036854775808')).toBe(false);
    expect(isId('-9223372036854775808')).toBe(true);
    for (const text of ['', '01', '-0', '1e3', '+1', ' 1']) expect(isId(text)).toBe(false);
  });
});

describe('The search box', () => {
  it('leads to an order by its id, and to the log by a position', () => {
    expect(readSearch(' 42 ')).toStrictEqual({ page: 'order', id: '42' });
    expect(readSearch('#42')).toMatchObject({ page: 'log', at: '42' });
    expect(readSearch('#1.0123abcd:42')).toMatchObject({ page: 'log', at: '1.0123abcd:42' });
    const requestId = '0B9E2C70-1d3f-4a52-8e57-6f0c1a2b3c4d';
    expect(readSearch(requestId)).toEqual({ page: 'log', commandId: requestId.toLowerCase() });
    const ofBatch = `${requestId.toLowerCase()}:0123456789abcdef`;
    expect(readSearch(ofBatch)).toEqual({ page: 'log', commandId: ofBatch });
    const asOf = (text: string) => Object(readSearch(text)).asOf;
    expect(asOf('2026-03-01')).toBe('2026-03-01T00:00:00Z');
    expect(asOf('2026-03-01 12:30')).toBe('2026-03-01T12:30:00Z');
    expect(asOf('2026-03-01t12:30:15+02:00')).toBe('2026-03-01T12:30:15+02:00');
    const local = readSearch('2026-03-01 12:30', 'local');
    expect(local).toEqual({ page: 'travel', asOf: new Date('2026-03-01T12:30').toISOString() });
    for (const text of ['2026-13-01', '2026-03-01 25:00', '2026-03-01T12', requestId.slice(1)])
      expect(readSearch(text)).toBeUndefined();
    for (const zone of ['utc', 'local'] as const) {
      for (const text of ['2026-02-30', '2026-06-31 12:00', '2026-02-30T12:00:00+01:00'])
        expect(readSearch(text, zone)).toBeUndefined();
      expect(readSearch('2028-02-29', zone)).toBeDefined();
    }
    for (const text of ['', 'x', '#0', '4 2', '#1.xyz:4', '#:4'])
      expect(readSearch(text)).toBeUndefined();
  });
});

it('A moment that is typed is a position, or a date of the zone', () => {
  for (const position of ['0', '7', '1.0123abcd:7'])
    expect(readMoment(position, 'utc')).toBe(position);
  expect(readMoment(' 2026-11-30 12:00 ', 'utc')).toBe('2026-11-30T12:00:00Z');
  const local = new Date('2026-11-30T12:00').toISOString();
  expect(readMoment('2026-11-30 12:00', 'local')).toBe(local);
  expect(readMoment('2026-11-30T12:00:00.123Z', 'local')).toBe('2026-11-30T12:00:00.123Z');
  for (const text of ['', 'x', '-1', '2026-02-30', '1.5']) {
    expect(readMoment(text, 'utc')).toBeUndefined();
  }
});
