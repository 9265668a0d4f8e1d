import { type Instant, millisecondsOf } from '../domain/instant.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { STATUSES } from './order-image.ts';
import type { OrderDetails, OrderList } from './order-list.ts';
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
 *
 * @param asOf The position as of which to find them: filters and orders are those of that moment,
 *   at the cost of those of now. Not beyond the list's own.
 */
export function findOrders(
  list: OrderList<unknown>,
  filter: OrderFilter,
  after: OrderId | undefined,
  limit: number,
  asOf: number = list.position,
): OrderPage {
  const orders: OrderDetails[] = [];
  for (const slot of passing(list, filter, after, asOf)) {
    if (orders.length === limit) return { orders, hasMore: true };
    orders.push(list.details(slot, asOf));
  }
  return { orders, hasMore: false };
}

/** Whether any order names the pet. */
export function isPetKnown(list: OrderList<unknown>, petId: PetId): boolean {
  return passing(list, { petId }, undefined, list.position).some(() => true);
}

/** The slots of the orders above an id (or of all) that pass the filter, by ascending id. */
function* passing(
  list: OrderList<unknown>,
  filter: OrderFilter,
  after: OrderId | undefined,
  asOf: number,
): Generator<number> {
  const sieves = sievesFor(list, filter, asOf);
  for (const page of list.slotsAfter(after)) {
    let slots = page;
    let count = page.length;
    for (const sieve of sieves) {
      count = sieve(slots, count, KEPT);
      slots = KEPT;
    }
    for (let index = 0; index < count; index++) yield slots[index] as number;
  }
}

// What the sieves have let through of a page. One for all: a query runs to its end in one go.
const KEPT = new Uint32Array(PAGE_SIZE);

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
  // What lets the fewest through, as queries usually are, comes first.
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

/** Slots count up as orders are placed, so whatever asks when they were is a range of slots. */
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
    (slots, count, kept) => {
      let passed = 0;
      for (let index = 0; index < count; index++) {
        const slot = slots[index] as number;
        if (slot >= first && slot < end) kept[passed++] = slot;
      }
      return passed;
    },
  ];
}

/** @param wanted For each value that the column can have: 1 to keep it, 0 to drop it. */
function among(column: Uint8Array, wanted: Uint8Array): Sieve {
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      if (wanted[column[slot] as number] === 1) kept[passed++] = slot;
    }
    return passed;
  };
}

// By halves: to read a bigint out of an array is to allocate one.
function equal(column: BigInt64Array<ArrayBuffer>, value: bigint): Sieve {
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

/** The same for a moment at which orders were still pending whose last event came later. */
function amongThen(
  column: Uint8Array,
  wanted: Uint8Array,
  lastPositions: Uint32Array,
  asOf: number,
): Sieve {
  const isPendingWanted = wanted[PENDING] === 1;
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const isWanted =
        (lastPositions[slot] as number) > asOf
          ? isPendingWanted
          : wanted[column[slot] as number] === 1;
      if (isWanted) kept[passed++] = slot;
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
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const value = column[slot] as number;
      if (value >= lowest && value < end) kept[passed++] = slot;
    }
    return passed;
  };
}

/** The same for a moment at which what was expected still held where the last event came later. */
function withinThen(
  column: Float64Array,
  expected: Float64Array,
  [lowest, end]: Range,
  lastPositions: Uint32Array,
  asOf: number,
): Sieve {
  return (slots, count, kept) => {
    let passed = 0;
    for (let index = 0; index < count; index++) {
      const slot = slots[index] as number;
      const known = (lastPositions[slot] as number) > asOf ? expected : column;
      const value = known[slot] as number;
      if (value >= lowest && value < end) kept[passed++] = slot;
    }
    return passed;
  };
}
