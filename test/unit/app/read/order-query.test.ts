import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import {
  findOrders,
  isPetKnown,
  type OrderFilter,
  type OrderQuery,
} from '../../../../src/app/read/order-query.ts';
import type { Walk } from '../../../../src/app/read/order-walk.ts';
import { type OrderDetails, OrderList } from '../../../../src/app/state/order-list.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import { isInt64, type OrderId, type PetId } from '../../../../src/domain/order-id.ts';
import { STATUSES } from '../../../../src/domain/order-lives.ts';
import { instants, orderIds, petIds } from '../../../support/arbitraries.ts';
import {
  cancelled,
  NOON,
  placed,
  recorded,
  secondsApart,
  shipped,
} from '../../../support/events.ts';
import { manyIds } from '../../../support/many-ids.ts';
import { histories, naiveOrders } from '../../../support/naive-orders.ts';
import { runs } from '../../../support/nightly.ts';

function listOf(events: Iterable<RecordedEvent>): OrderList<null> {
  const list = new OrderList(() => null);
  for (const event of events) list.fold(event);
  return list;
}

/** Whether an order passes, said as plainly as can be. */
function passes(order: OrderDetails, filter: OrderFilter): boolean {
  const { shipDate, placedAt } = order;
  if (filter.status !== undefined && order.status !== filter.status) return false;
  if (filter.petId !== undefined && order.petId !== filter.petId) return false;
  if (filter.complete === true && order.status !== 'shipped') return false;
  if (filter.complete === false && order.status === 'shipped') return false;
  // Instants are in time order when they are in text order.
  if (filter.shipDateFrom !== undefined && !(shipDate && shipDate >= filter.shipDateFrom)) {
    return false;
  }
  if (filter.shipDateTo !== undefined && !(shipDate && shipDate < filter.shipDateTo)) return false;
  if (filter.placedFrom !== undefined && placedAt < filter.placedFrom) return false;
  return filter.placedTo === undefined || placedAt < filter.placedTo;
}

const FILTERS: (keyof OrderFilter)[] = [
  ...(['status', 'petId', 'complete'] as const),
  ...(['shipDateFrom', 'shipDateTo', 'placedFrom', 'placedTo'] as const),
];

/** Filters whose values come from the orders themselves as often as not. */
function filtersFor(orders: readonly OrderDetails[]) {
  const dates = orders.flatMap(({ shipDate }) => shipDate ?? []);
  const times = orders.map(({ placedAt }) => placedAt);
  const pets = orders.map(({ petId }) => petId);
  const among = <Value>(values: readonly Value[], any: fc.Arbitrary<Value>) =>
    values.length === 0 ? any : fc.oneof(fc.constantFrom(...values), any);
  const when = among([...dates, ...times], instants);
  const values = fc.record({
    status: fc.constantFrom(...STATUSES),
    petId: among(pets, petIds),
    complete: fc.boolean(),
    shipDateFrom: when,
    shipDateTo: when,
    placedFrom: when,
    placedTo: when,
  });
  // Few at a time, because hardly an order passes them all.
  const names = fc.subarray(FILTERS, { maxLength: 3 });
  return fc.tuple(values, names).map(([all, few]): OrderFilter => {
    return Object.fromEntries(few.map((name) => [name, all[name]]));
  });
}

/** Walks whose ids are those of orders as often as not, and next to them. */
function walksFor(orders: readonly OrderDetails[]): fc.Arbitrary<Walk> {
  const near = orders.flatMap(({ id }) => [id, id, id - 1n, id + 1n]);
  const known = near.filter(isInt64) as OrderId[];
  const ids = known.length === 0 ? orderIds : fc.oneof(fc.constantFrom(...known), orderIds);
  return fc.record(
    {
      order: fc.constant('desc' as const),
      fromId: ids,
      toId: ids,
      ids: fc.array(ids, { minLength: 1, maxLength: 8 }),
    },
    { requiredKeys: [] },
  );
}

/** The orders of a walk, said as plainly as can be. */
function onWalk(orders: readonly OrderDetails[], { order, fromId, toId, ids }: Walk) {
  const its = orders.filter(
    ({ id }) =>
      (fromId === undefined || id >= fromId) &&
      (toId === undefined || id < toId) &&
      (ids?.includes(id) ?? true),
  );
  return order === 'desc' ? its.reverse() : its;
}

/** Every page, from the first to the last. */
function allPages(list: OrderList<unknown>, filter: OrderQuery, limit: number) {
  const pages: OrderDetails[][] = [];
  for (let after: OrderId | undefined, more = true; more; ) {
    const { orders, hasMore } = findOrders(list, filter, after, limit);
    pages.push([...orders]);
    after = orders.at(-1)?.id;
    more = hasMore;
    // Each page has an order that none before it had: a list that goes round in circles is noticed.
    if (pages.length > list.size + 1) throw new Error('there is no end to the pages');
  }
  return pages;
}

const cases = histories.chain((history) =>
  fc.tuple(fc.constant(history), filtersFor(naiveOrders(history)), fc.integer({ min: 1, max: 9 })),
);

// Filters with values from any moment of the history, not just from its end.
const casesThen = fc
  .tuple(histories, fc.nat())
  .chain(([history, any]) =>
    fc.tuple(
      fc.constant(history),
      filtersFor(naiveOrders(history.slice(0, any % (history.length + 1)))),
      fc.integer({ min: 1, max: 40 }),
    ),
  );

describe('finding orders', () => {
  it('finds the orders that pass the filter, page by page, each once and by id', () => {
    fc.assert(
      fc.property(cases, ([history, filter, limit]) => {
        const expected = naiveOrders(history).filter((order) => passes(order, filter));
        const pages = allPages(listOf(history), filter, limit);
        expect(pages.flat()).toStrictEqual(expected);
        // Full but for the last, which may be empty only where it is the only one.
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        expect(pages.at(-1)?.length).toBeLessThanOrEqual(limit);
        if (pages.length > 1) expect(pages.at(-1)).not.toHaveLength(0);
      }),
      { numRuns: runs(500) },
    );
  });

  it('walks over them in either direction, from an id on, or over a few ids alone', () => {
    const walks = cases.chain(([history, filter, limit]) =>
      fc.tuple(
        fc.constant({ history, filter, limit }),
        walksFor(naiveOrders(history)),
        fc.boolean(),
      ),
    );
    fc.assert(
      fc.property(walks, ([{ history, filter, limit }, walk, isFiltered]) => {
        const query = isFiltered ? { ...filter, ...walk } : walk;
        const expected = onWalk(naiveOrders(history), walk).filter((order) =>
          passes(order, isFiltered ? filter : {}),
        );
        expect(allPages(listOf(history), query, limit).flat()).toStrictEqual(expected);
      }),
      { numRuns: runs(500) },
    );
  });

  it('continues after the last order of a page, on every walk', () => {
    const list = listOf(recorded(placed(1n), placed(2n), placed(3n), placed(4n), placed(5n)));
    const [ids, fromId, toId] = [[5n, 2n, 1n, 3n, 4n] as OrderId[], 2n as OrderId, 5n as OrderId];
    for (const walk of [
      { fromId, toId },
      { ids: ids.slice(1, 2).concat(ids.slice(3)) },
      { ids, fromId, toId },
    ]) {
      for (const order of [undefined, 'desc'] as const) {
        const found = allPages(list, { ...walk, order }, 1).flat();
        const expected = order === 'desc' ? [4n, 3n, 2n] : [2n, 3n, 4n];
        expect(found.map(({ id }) => id)).toStrictEqual(expected);
      }
    }
    // An order that has come since, or a cursor of a list that began later.
    const found = findOrders(list, { fromId, toId }, 1n as OrderId, 9).orders;
    expect(found.map(({ id }) => id)).toStrictEqual([2n, 3n, 4n]);
    const later = findOrders(list, { fromId, toId }, 0n as OrderId, 9).orders;
    expect(later.map(({ id }) => id)).toStrictEqual([2n, 3n, 4n]);
    const down = { fromId, toId, order: 'desc' } as const;
    const others = findOrders(list, down, 9n as OrderId, 9).orders;
    expect(others.map(({ id }) => id)).toStrictEqual([4n, 3n, 2n]);
  });

  it('finds them in thousands, whatever the order in which their ids came', () => {
    fc.assert(
      fc.property(manyIds(3_000), fc.integer({ min: 1, max: 1_500 }), (ids, limit) => {
        const history = secondsApart(
          recorded(
            ...ids.map((id) => placed(id, { petId: (id % 3n) as PetId })),
            ...ids.filter((id) => id % 5n === 0n).map((id) => cancelled(id)),
          ),
        );
        const list = listOf(history);
        for (const filter of [{}, { petId: 1n as PetId, status: 'cancelled' }] as const) {
          const expected = naiveOrders(history).filter((order) => passes(order, filter));
          expect(allPages(list, filter, limit).flat()).toStrictEqual(expected);
          const down = { ...filter, order: 'desc', fromId: ids[0] as OrderId } as const;
          expect(allPages(list, down, limit).flat()).toStrictEqual(onWalk(expected, down));
          const up = { ...filter, toId: ids[0] as OrderId } as const;
          expect(allPages(list, up, limit).flat()).toStrictEqual(onWalk(expected, up));
        }
      }),
      { numRuns: runs(8) },
    );
  });

  it('begins after any id, whether there is such an order or not', () => {
    const list = listOf(recorded(placed(-5n), placed(1n), placed(9n)));
    const above = (id: bigint) =>
      findOrders(list, {}, id as OrderId, 9).orders.map((order) => order.id);
    expect(above(-(2n ** 63n))).toStrictEqual([-5n, 1n, 9n]);
    expect(above(-5n)).toStrictEqual([1n, 9n]);
    expect(above(2n)).toStrictEqual([9n]);
    expect(above(9n)).toStrictEqual([]);
    expect(above(2n ** 63n - 1n)).toStrictEqual([]);
  });

  it('ends where the orders end, also on pages that are not full', () => {
    // The order in the first slot passes every filter, and is the first of all: nothing that stands
    // behind the end of a page may be taken for it.
    const history = secondsApart(recorded(...[1n, 2n, 3n].map((id) => placed(id))));
    const list = listOf(history);
    const filters: OrderFilter[] = [
      { petId: 7n as PetId },
      { status: 'pending' },
      { complete: false },
      { placedFrom: NOON },
      { placedFrom: NOON, petId: 7n as PetId, status: 'pending' },
    ];
    for (const filter of filters) {
      const found = findOrders(list, filter, undefined, 9);
      expect(found.orders.map(({ id }) => id)).toStrictEqual([1n, 2n, 3n]);
      expect(findOrders(list, filter, 2n as OrderId, 9).orders.map(({ id }) => id)).toEqual([3n]);
    }
    const dated = listOf(recorded(placed(1n, { shipDate: NOON }), placed(2n, { shipDate: NOON })));
    for (const asOf of [1, 2]) {
      const filter: OrderFilter = { shipDateFrom: NOON, status: 'pending' };
      const found = findOrders(dated, filter, undefined, 9, asOf);
      expect(found.orders.map(({ id }) => id)).toStrictEqual([1n, 2n].slice(0, asOf));
    }
  });

  it('finds nothing in an empty list', () => {
    const nothing = { orders: [], hasMore: false };
    expect(findOrders(listOf([]), {}, undefined, 1)).toStrictEqual(nothing);
    expect(findOrders(listOf([]), {}, 5n as OrderId, 1)).toStrictEqual(nothing);
    expect(findOrders(listOf([]), { order: 'desc' }, 5n as OrderId, 1)).toStrictEqual(nothing);
  });

  it('compares both halves of a pet id', () => {
    const [low, high] = [2n ** 32n + 7n, 7n];
    const list = listOf(recorded(placed(1n, { petId: low as PetId })));
    expect(isPetKnown(list, low as PetId)).toBe(true);
    expect(isPetKnown(list, high as PetId)).toBe(false);
    expect(isPetKnown(list, (2n ** 32n) as PetId)).toBe(false);
  });
});

describe('finding orders as they were', () => {
  it('finds at every position the same as the list at that position', () => {
    fc.assert(
      fc.property(casesThen, ([history, filter, limit]) => {
        const list = listOf(history);
        for (let position = 0; position <= history.length; position++) {
          const then = listOf(history.slice(0, position));
          for (const after of [undefined, 0n as OrderId]) {
            expect(findOrders(list, filter, after, limit, position)).toStrictEqual(
              findOrders(then, filter, after, limit),
            );
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('returns past orders consistently from page to page', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (history, any) => {
        const position = any % (history.length + 1);
        const found = findOrders(listOf(history), {}, undefined, 1_000, position);
        expect(found.orders).toStrictEqual(naiveOrders(history.slice(0, position)));
      }),
    );
  });
});

describe('between two pages', () => {
  it('orders may come, ship and be cancelled: none that stays is lost or comes twice', () => {
    const some = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 30 });
    fc.assert(
      fc.property(some, some, fc.integer({ min: 1, max: 7 }), (before, later, limit) => {
        const added = later.filter((id) => !before.includes(id));
        const events = secondsApart(
          recorded(
            ...before.map((id) => placed(BigInt(id))),
            ...added.flatMap((id) => [
              placed(BigInt(id)),
              id % 2 === 0 ? cancelled(BigInt(id)) : shipped(BigInt(id)),
            ]),
          ),
        );
        const list = listOf(events.slice(0, before.length));
        const rest = events.slice(before.length);
        const seen: bigint[] = [];
        for (let after: OrderId | undefined, more = true; more; ) {
          const page = findOrders(list, {}, after, limit);
          seen.push(...page.orders.map(({ id }) => id));
          if (seen.length > events.length) throw new Error('there is no end to the pages');
          after = page.orders.at(-1)?.id;
          more = page.hasMore;
          for (const event of rest.splice(0, 2)) list.fold(event);
        }
        expect(seen).toStrictEqual([...new Set(seen)].sort((a, b) => (a < b ? -1 : 1)));
        for (const id of before) expect(seen).toContain(BigInt(id));
      }),
      { numRuns: runs(300) },
    );
  });
});

it('a date is within a range from its first to before its last moment', () => {
  const [a, b, c] = ['01', '02', '03'].map((day) => `2026-01-${day}T00:00:00.000Z`) as [
    Instant,
    Instant,
    Instant,
  ];
  const list = listOf(recorded(placed(1n, { shipDate: b }), placed(2n)));
  const found = (filter: OrderFilter) => findOrders(list, filter, undefined, 9).orders.length;
  expect(found({ shipDateFrom: b, shipDateTo: c })).toBe(1);
  expect(found({ shipDateFrom: a, shipDateTo: b })).toBe(0);
  expect(found({ shipDateFrom: a })).toBe(1);
  expect(found({ shipDateTo: c })).toBe(1);
  expect(found({ shipDateFrom: c, shipDateTo: a })).toBe(0);
});
