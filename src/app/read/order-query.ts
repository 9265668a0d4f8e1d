/** Queries over the list of orders: filters and pages, now or as of a position. */
import { type Instant, millisecondsOf } from '../../domain/instant.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import { isComplete, STATUSES } from '../../domain/order-lives.ts';
import { statusIndexOf } from '../state/image-columns.ts';
import { CHUNK_ORDERS } from '../state/order-chunks.ts';
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
  /** True if more orders follow the last of these. */
  readonly hasMore: boolean;
}

/**
 * A filter of slots: writes those of the first `count` slots that pass to the front of `into`, and
 * returns their number.
 */
type Sieve = (slots: Uint32Array, count: number, into: Uint32Array) => number;

/**
 * Returns the first orders that pass the filter, at most `limit`: all above the id `after`, or
 * below it in descending order.
 *
 * A page begins after an id and not at an offset. So whatever happens to the list between two
 * pages, no order comes twice, and none is left out that was there all the time.
 *
 * The filter is applied column by column, to a chunk of the list at a time: each sieve is a loop
 * over a column, and receives the slots that have passed the previous ones.
 * @param asOf The position as of which orders are found and returned, up to the list's own. It
 *   costs no more than the present.
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

/** Yields the slots of the orders that pass the filter, in the order of the query. */
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

// Queries share these arrays, because each runs synchronously: the slots of a chunk that have passed,
// and entries of columns at slots of a chunk.
const PASSED = new Uint32Array(CHUNK_ORDERS);
const STATUS = new Float64Array(CHUNK_ORDERS);
const EXPECTED = new Float64Array(CHUNK_ORDERS);
const SHIPPED = new Float64Array(CHUNK_ORDERS);
const ENDED = new Float64Array(CHUNK_ORDERS);

function sievesFor(list: OrderList<unknown>, filter: OrderFilter, asOf: number): readonly Sieve[] {
  const { status, petId, complete, shipDateFrom, shipDateTo } = filter;
  const { petIds } = list.columns;
  const wanted = STATUSES.map((its) => {
    const itsComplete = isComplete(its);
    return (status ?? its) === its && (complete ?? itsComplete) === itsComplete;
  });
  const isDated = shipDateFrom !== undefined || shipDateTo !== undefined;
  // The sieves that usually pass the fewest orders come first.
  return [
    ...placedWithin(list, filter, asOf),
    ...(petId === undefined
      ? []
      : ([(slots, count, into) => petIds.equal(slots, count, into, petId)] satisfies Sieve[])),
    ...(wanted.every(Boolean) ? [] : [among(list, wanted, asOf)]),
    ...(isDated ? [shipping(list, rangeOf(shipDateFrom, shipDateTo), asOf)] : []),
  ];
}

/** Slots are numbered in the order of placement, so a range of times is a range of slots. */
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

/**
 * Keeps orders by their status. By the law of {@link MAX_EVENTS_PER_ORDER}, an order that ended after
 * the position was still pending.
 * @param wanted At the number of each status: true to keep it.
 */
function among(list: OrderList<unknown>, wanted: readonly boolean[], asOf: number): Sieve {
  const { statuses, endPositions } = list.columns;
  const isNow = asOf === list.position;
  const isWanted = wanted.map(Number);
  const isPendingWanted = isWanted[PENDING] === 1;
  return (slots, count, into) => {
    statuses.read(slots, count, STATUS);
    if (!isNow) endPositions.read(slots, count, ENDED);
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const passes =
        !isNow && (ENDED[index] as number) > asOf
          ? isPendingWanted
          : isWanted[statusIndexOf(STATUS[index] as number)] === 1;
      if (passes) into[passed++] = slots[index] as number;
    }
    return passed;
  };
}

const PENDING = STATUSES.indexOf('pending');

/** A range of milliseconds since 1970, including its lowest value and excluding its end. */
type Range = readonly [lowest: number, end: number];

function rangeOf(from: Instant | undefined, to: Instant | undefined): Range {
  return [
    from === undefined ? Number.NEGATIVE_INFINITY : millisecondsOf(from),
    to === undefined ? Number.POSITIVE_INFINITY : millisecondsOf(to),
  ];
}

/** Keeps orders by the date on which they shipped, or were still expected to ship. */
function shipping(list: OrderList<unknown>, [lowest, end]: Range, asOf: number): Sieve {
  const { shipDates, expectedDates, endPositions } = list.columns;
  const isNow = asOf === list.position;
  return (slots, count, into) => {
    expectedDates.read(slots, count, EXPECTED);
    shipDates.read(slots, count, SHIPPED);
    if (!isNow) endPositions.read(slots, count, ENDED);
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const shipped = SHIPPED[index] as number;
      const hasShipped = !Number.isNaN(shipped) && (isNow || (ENDED[index] as number) <= asOf);
      const date = hasShipped ? shipped : (EXPECTED[index] as number);
      if (date >= lowest && date < end) into[passed++] = slots[index] as number;
    }
    return passed;
  };
}
