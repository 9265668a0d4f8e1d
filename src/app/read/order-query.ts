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
 * over two arrays of numbers, and receives the slots that have passed the previous ones.
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

// The slots of a chunk that have passed. Queries share one array, because each runs synchronously.
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

// Compares halves, because reading a bigint from an array allocates one.
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

/**
 * As `among`, as of a position: by the law of {@link MAX_EVENTS_PER_ORDER}, orders whose last event
 * came later were still pending.
 */
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

/** A range of milliseconds since 1970, including its lowest value and excluding its end. */
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

/**
 * As `within`, as of a position: orders whose last event came later still had their expected date.
 */
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
