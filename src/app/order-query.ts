import { type Instant, millisecondsOf } from '../domain/instant.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { STATUSES } from './order-image.ts';
import type { OrderColumns, OrderDetails, OrderList } from './order-list.ts';
import { PAGE_SIZE } from './order-pages.ts';

/** What orders have to be to be found. What is absent does not matter. */
export interface OrderFilter {
  readonly status?: OrderDetails['status'] | undefined;
  readonly petId?: PetId | undefined;
  /** Whether the order has shipped. */
  readonly complete?: boolean | undefined;
  /** Ranges begin with their `from` and end before their `to`. No date is in no range. */
  readonly shipDateFrom?: Instant | undefined;
  readonly shipDateTo?: Instant | undefined;
  readonly placedFrom?: Instant | undefined;
  readonly placedTo?: Instant | undefined;
}

/** A run of the orders that a filter lets through. */
export interface OrderPage {
  /** By id, ascending. */
  readonly orders: readonly OrderDetails[];
  /** Whether more orders follow the last of these. */
  readonly hasMore: boolean;
}

/** Writes those of the first `count` slots that pass to the front of `kept`; tells how many. */
type Sieve = (slots: Uint32Array, count: number, kept: Uint32Array) => number;

/**
 * The first orders above an id (or of all) that pass the filter, `limit` of them at most.
 *
 * Where a page of the list begins is said by an id and not by a number of orders to skip. So
 * whatever happens to the list between two pages, no order comes twice, and none is left out that
 * was there all the time.
 *
 * One column after the other is sieved, a page of the list at a time: each sieve is a loop over
 * two arrays of numbers, and looks only at what the one before it has let through.
 */
export function findOrders(
  list: OrderList<unknown>,
  filter: OrderFilter,
  after: OrderId | undefined,
  limit: number,
): OrderPage {
  const sieves = sievesFor(filter, list.columns);
  const orders: OrderDetails[] = [];
  for (const page of list.slotsAfter(after)) {
    let slots = page;
    let count = page.length;
    for (const sieve of sieves) {
      count = sieve(slots, count, KEPT);
      slots = KEPT;
    }
    for (let index = 0; index < count; index++) {
      if (orders.length === limit) return { orders, hasMore: true };
      orders.push(list.details(slots[index] as number));
    }
  }
  return { orders, hasMore: false };
}

// What the sieves have let through of a page. One for all queries: none is ever interrupted.
const KEPT = new Uint32Array(PAGE_SIZE);

/** Whether any order names the pet. */
export function isPetKnown(list: OrderList<unknown>, petId: PetId): boolean {
  return findOrders(list, { petId }, undefined, 1).orders.length > 0;
}

function sievesFor(filter: OrderFilter, columns: OrderColumns): readonly Sieve[] {
  const { status, petId, complete, shipDateFrom, shipDateTo, placedFrom, placedTo } = filter;
  const { petIds, statuses, shipDates, placedAt } = columns;
  const shipped = STATUSES.indexOf('shipped');
  return [
    ...(petId === undefined ? [] : [equal64(petIds, petId)]),
    ...(status === undefined ? [] : [equal(statuses, STATUSES.indexOf(status), true)]),
    ...(complete === undefined ? [] : [equal(statuses, shipped, complete)]),
    ...within(shipDates, shipDateFrom, shipDateTo),
    ...within(placedAt, placedFrom, placedTo),
  ];
}

function equal(column: Uint8Array, value: number, wanted: boolean): Sieve {
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if ((column[slot] === value) === wanted) kept[passed++] = slot;
    }
    return passed;
  };
}

// By halves: to read a bigint out of an array is to allocate one.
function equal64(column: BigInt64Array<ArrayBuffer>, value: bigint): Sieve {
  const halves = new Int32Array(column.buffer);
  const [first, second] = new Int32Array(BigInt64Array.of(value).buffer);
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if (halves[2 * slot] === first && halves[2 * slot + 1] === second) kept[passed++] = slot;
    }
    return passed;
  };
}

function within(
  column: Float64Array,
  from: Instant | undefined,
  to: Instant | undefined,
): readonly Sieve[] {
  if (from === undefined && to === undefined) return [];
  const lowest = from === undefined ? Number.NEGATIVE_INFINITY : millisecondsOf(from);
  const end = to === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(to);
  return [
    (slots, count, kept) => {
      let passed = 0;
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        const value = column[slot] as number;
        if (value >= lowest && value < end) kept[passed++] = slot;
      }
      return passed;
    },
  ];
}
