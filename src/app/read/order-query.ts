/** Queries over the list of orders: filters and pages, now or as of a position. */
import { type Instant, millisecondsOf } from '../../domain/instant.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import { CHUNK_ORDERS } from '../state/order-chunks.ts';
import { STATUSES } from '../state/order-image.ts';
import type { OrderDetails, OrderList } from '../state/order-list.ts';
import { slotsOnWalk, type Walk } from './order-walk.ts';

/** Filter criteria. An absent member matches every order. */
export interface OrderFilter {
  readonly status?: OrderDetails['status'] | undefined;
  readonly petId?: PetId | undefined;
  /** True for orders that have shipped. */
  readonly complete?: boolean | undefined;
  /** Ranges begin with their `from` and end before their `to`. No date is in no range. */
  readonly shipDateFrom?: Instant | undefined;
  readonly shipDateTo?: Instant | undefined;
  readonly placedFrom?: Instant | undefined;
  readonly placedTo?: Instant | undefined;
}

/** A query: filter criteria, and the walk over the orders on which they are applied. */
export type OrderQuery = OrderFilter & Walk;

/** The orders of one page of a filtered list. */
export interface OrderPage {
  /** By id, in the order of the query. */
  readonly orders: readonly OrderDetails[];
  /** True where more orders follow the last of these. */
  readonly hasMore: boolean;
}

/** Writes those of the first `count` slots that pass to the front of `into`; returns their number. */
type Sieve = (slots: Uint32Array, count: number, into: Uint32Array) => number;

/**
 * Returns the first orders beyond an id (or of all) that pass the filter, `limit` of them at most: above
 * the id, or below it in a descending order.
 *
 * A page begins after an id and not after a number of orders. So whatever happens to the list between
 * two pages, no order comes twice, and none is left out that was there all the time.
 *
 * One column after the other is sieved, a chunk of the list at a time: each sieve is a loop over two
 * arrays of numbers, over the slots that have passed the sieves before it.
 *
 * @param asOf The position as of which to find them: filters and orders are those of that moment,
 *   at the cost of those of now. Not beyond the list's own.
 */
export function findOrders(
  list: OrderList<unknown>,
  query: OrderQuery,
  after: OrderId | undefined,
  limit: number,
  asOf: number = list.position,
): OrderPage {
  const orders: OrderDetails[] = [];
  for (const slot of passing(list, query, after, asOf)) {
    if (orders.length === limit) return { orders, hasMore: true };
    orders.push(list.details(slot, asOf));
  }
  return { orders, hasMore: false };
}

/** Returns whether any order names the pet. */
export function isPetKnown(list: OrderList<unknown>, petId: PetId): boolean {
  return passing(list, { petId }, undefined, list.position).some(() => true);
}

/** Yields the slots of the orders beyond an id (or of all) that pass the filter, in the order of the query. */
function* passing(
  list: OrderList<unknown>,
  query: OrderQuery,
  after: OrderId | undefined,
  asOf: number,
): Generator<number> {
  const sieves = sievesFor(list, query, asOf);
  for (const chunk of slotsOnWalk(list, query, after)) {
    let slots = chunk;
    let count = chunk.length;
    for (const sieve of sieves) {
      count = sieve(slots, count, PASSED);
      slots = PASSED;
    }
    for (let index = 0; index < count; index++) yield slots[index] as number;
  }
}

// The slots of a chunk that have passed. One array for all queries: each runs to its end in one go.
const PASSED = new Uint32Array(CHUNK_ORDERS);

function sievesFor(list: OrderList<unknown>, filter: OrderFilter, asOf: number): readonly Sieve[] {
  const { status, petId, complete, shipDateFrom, shipDateTo } = filter;
  const { petIds, statuses, shipDates, expectedDates, lastPositions } = list.columns;
  const wanted = Uint8Array.from(STATUSES, (its) => {
    const isComplete = its === 'shipped';
    return Number((status ?? its) === its && (complete ?? isComplete) === isComplete);
  });
  const isNow = asOf === list.position;
  const isDated = shipDateFrom !== undefined || shipDateTo !== undefined;
  const dates = rangeOf(shipDateFrom, shipDateTo);
  // The sieves that usually pass the fewest orders come first.
  return [
    ...placedWithin(list, filter, asOf),
    ...(petId === undefined ? [] : [equal(petIds, petId)]),
    ...(wanted.every(Boolean)
      ? []
      : [isNow ? among(statuses, wanted) : amongThen(statuses, wanted, lastPositions, asOf)]),
    ...(isDated
      ? [
          isNow
            ? within(shipDates, dates)
            : withinThen(shipDates, expectedDates, dates, lastPositions, asOf),
        ]
      : []),
  ];
}

/** Slots count up as orders are placed, so a range of times is a range of slots. */
function placedWithin(
  list: OrderList<unknown>,
  { placedFrom, placedTo }: OrderFilter,
  asOf: number,
): readonly Sieve[] {
  const first = placedFrom === undefined ? 0 : list.sizeBefore(placedFrom);
  const sizeThen = list.sizeAt(asOf);
  const end = placedTo === undefined ? sizeThen : Math.min(sizeThen, list.sizeBefore(placedTo));
  if (first === 0 && end === list.size) return [];
  return [
    (slots, count, into) => {
      let passed = 0;
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        if (slot >= first && slot < end) into[passed++] = slot;
      }
      return passed;
    },
  ];
}

/** @param wanted For each value that the column can have: 1 to keep it, 0 to drop it. */
function among(column: Uint8Array, wanted: Uint8Array): Sieve {
  return (slots, count, into) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if (wanted[column[slot] as number] === 1) into[passed++] = slot;
    }
    return passed;
  };
}

// By halves: to read a bigint out of an array is to allocate one.
function equal(column: BigInt64Array<ArrayBuffer>, value: bigint): Sieve {
  const halves = new Int32Array(column.buffer);
  const [first, second] = new Int32Array(BigInt64Array.of(value).buffer);
  return (slots, count, into) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if (halves[2 * slot] === first && halves[2 * slot + 1] === second) into[passed++] = slot;
    }
    return passed;
  };
}

/** Does the same as of a position: orders whose last event came later were still pending. */
function amongThen(
  column: Uint8Array,
  wanted: Uint8Array,
  lastPositions: Uint32Array,
  asOf: number,
): Sieve {
  const isPendingWanted = wanted[PENDING] === 1;
  return (slots, count, into) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const isWanted =
        (lastPositions[slot] as number) > asOf
          ? isPendingWanted
          : wanted[column[slot] as number] === 1;
      if (isWanted) into[passed++] = slot;
    }
    return passed;
  };
}

const PENDING = STATUSES.indexOf('pending');

/** Milliseconds since 1970: from the first to before the second. */
type Range = readonly [lowest: number, end: number];

function rangeOf(from: Instant | undefined, to: Instant | undefined): Range {
  return [
    from === undefined ? Number.NEGATIVE_INFINITY : millisecondsOf(from),
    to === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(to),
  ];
}

function within(column: Float64Array, [lowest, end]: Range): Sieve {
  return (slots, count, into) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const value = column[slot] as number;
      if (value >= lowest && value < end) into[passed++] = slot;
    }
    return passed;
  };
}

/** Does the same as of a position: orders whose last event came later had their expected date. */
function withinThen(
  column: Float64Array,
  expected: Float64Array,
  [lowest, end]: Range,
  lastPositions: Uint32Array,
  asOf: number,
): Sieve {
  return (slots, count, into) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const known = (lastPositions[slot] as number) > asOf ? expected : column;
      const value = known[slot] as number;
      if (value >= lowest && value < end) into[passed++] = slot;
    }
    return passed;
  };
}
