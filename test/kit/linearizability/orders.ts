import { grouped } from '../grouped.ts';
import type { Answer, History, Operation, Row } from '../history/history.ts';
import type { OrderOperation } from './order-table.ts';
import { assignIds, type Sighting } from './placings.ts';
import type { Violation } from './violation.ts';
import type { Interval } from './wing-gong.ts';

/**
 * Splits a history by order. Orders are independent, so each can be checked on its own (Herlihy and
 * Wing, "Linearizability", ACM TOPLAS 12(3), 1990: locality). A list covers all orders; its row of
 * an order is a read of that order.
 */

/** An operation as seen by one order. */
export interface Step extends Interval, OrderOperation {
  /** The operation. A list can be a step of many orders. */
  readonly by: Operation;
}

/** A list with a response. */
export interface ListOperation extends Interval {
  readonly by: Operation;
  /** Its row of each order, by the order's number. */
  readonly rows: readonly (Row | undefined)[];
}

export interface Orders {
  /** The orders; an order's number is its index. */
  readonly ids: readonly bigint[];
  /** The commands and gets of each order, by the order's number. */
  readonly steps: readonly (readonly Step[])[];
  readonly lists: readonly ListOperation[];
  /** The operations that show an order which no request placed, as violations. */
  readonly violations: readonly Violation[];
}

export function ordersOf(history: History): Orders {
  const numbers = new Numbers();
  const lists = history.flatMap((by) => listOf(by, numbers));
  const sightings = [...numbers.sightings(), ...history.flatMap(shownIn)];
  const { idOf, unclaimed, violations } = assignIds(history, sightings);
  const operations = grouped(history, (by) => concerned(by, idOf));
  for (const id of operations.keys()) if (id !== undefined) numbers.of(id);
  const steps = numbers.ids.map((id) => (operations.get(id) ?? []).map(stepOf));
  explainUnseen(steps, unclaimed);
  return { ids: numbers.ids, steps, lists, violations };
}

/**
 * Assigns unanswered placements to orders that have responses but were never shown. The true
 * assignment is unknown and irrelevant, except that each request places at most one order: the
 * order that must have existed first gets the first request.
 */
function explainUnseen(steps: Step[][], unclaimed: readonly Operation[]): void {
  const unseen = steps.filter((own) => {
    const sign = firstSign(own);
    return sign < Infinity && !own.some((step) => mayHavePlaced(step) && step.invoked <= sign);
  });
  unseen.sort((a, b) => firstSign(a) - firstSign(b));
  for (const [index, own] of unseen.entries()) {
    const place = unclaimed[index];
    if (place !== undefined) own.push(stepOf(place));
  }
}

/** Returns the time of the first response that implies that an order exists. */
function firstSign(steps: readonly Step[]): number {
  const signs = steps.filter(({ answer }) => {
    return answer.kind !== 'unknown' && !isNotFound(answer);
  });
  return Math.min(...signs.map(({ returned }) => returned));
}

function isNotFound(answer: Answer): boolean {
  return answer.kind === 'refused' && answer.reason === 'order_not_found';
}

/**
 * Returns the lists' reads of one order. Of all lists with equal rows, two imply the others: the
 * one with the first response and the one with the last request. (A row is true for one interval of
 * an order's life, which must have begun before the one, and not ended before the other.)
 */
export function looksAt(number: number, { ids, lists }: Orders): readonly Step[] {
  const looks = new Map<Row | undefined, { first: ListOperation; last: ListOperation }>();
  for (const list of lists) {
    const row = list.rows[number];
    const { first, last } = looks.get(row) ?? { first: list, last: list };
    looks.set(row, {
      first: list.returned < first.returned ? list : first,
      last: list.invoked > last.invoked ? list : last,
    });
  }
  return [...looks].flatMap(([row, { first, last }]) => {
    return [...new Set([first, last])].map((list) => lookAs(ids[number] as bigint, row, list));
  });
}

function lookAs(id: bigint, row: Row | undefined, { by, invoked, returned }: ListOperation): Step {
  const answer =
    row === undefined
      ? ({ kind: 'refused', reason: 'order_not_found' } as const)
      : ({ kind: 'shown', order: row } as const);
  return { request: { kind: 'get', id }, answer, invoked, returned, by };
}

function stepOf(by: Operation): Step {
  const { request, answer, invoked, returned } = by;
  if (request.kind === 'list') throw new Error('a list concerns all orders');
  return { request, answer, invoked, returned, by };
}

function mayHavePlaced({ request, answer }: Step): boolean {
  return request.kind === 'place' && answer.kind !== 'refused';
}

/** Returns the order that an operation is about, if there is one. */
function concerned(
  { request, answer }: Operation,
  idOf: (place: Operation['request']) => bigint | undefined,
): bigint | undefined {
  if (answer.kind === 'untouched' || answer.kind === 'unexpected') return undefined;
  if (request.kind === 'list') return undefined;
  if (request.kind === 'get' && answer.kind === 'unknown') return undefined;
  return request.kind === 'place' ? idOf(request) : request.id;
}

function shownIn(by: Operation): readonly Sighting[] {
  const { answer } = by;
  if (answer.kind === 'shown') return [{ row: answer.order, by }];
  if (answer.kind === 'accepted' && answer.order !== undefined) return [{ row: answer.order, by }];
  return [];
}

function listOf(by: Operation, numbers: Numbers): ListOperation[] {
  const { answer, invoked, returned } = by;
  if (answer.kind !== 'listed') return [];
  const rows: (Row | undefined)[] = Array(numbers.ids.length).fill(undefined);
  for (const row of answer.orders) rows[numbers.of(row.id)] = numbers.same(row, by);
  return [{ by, rows, invoked, returned }];
}

/** Numbers the orders by first appearance, and interns equal rows. */
class Numbers {
  readonly ids: bigint[] = [];
  readonly #numbers = new Map<bigint, number>();
  readonly #rows: Sighting[][] = [];

  of(id: bigint): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    this.#numbers.set(id, this.ids.length);
    this.#rows.push([]);
    return this.ids.push(id) - 1;
  }

  /** Returns the first row that is equal to this one, so that equal rows are identical. */
  same(row: Row, by: Operation): Row {
    const rows = this.#rows[this.of(row.id)] as Sighting[];
    const known = rows.find((other) => isEqual(other.row, row));
    if (known !== undefined) return known.row;
    rows.push({ row, by });
    return row;
  }

  /** Every distinct row of a list, with the first list that showed it. */
  sightings(): readonly Sighting[] {
    return this.#rows.flat();
  }
}

function isEqual(a: Row, b: Row): boolean {
  return (
    a.complete === b.complete &&
    a.shipDate === b.shipDate &&
    a.status === b.status &&
    a.petId === b.petId &&
    a.quantity === b.quantity
  );
}
