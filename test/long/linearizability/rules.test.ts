import { describe, expect, it, test } from 'vitest';
import type { Answer, History, Operation, Request, Row } from '../../kit/history/history.ts';
import { check } from '../../kit/linearizability/check.ts';
import { describeViolation as tell } from '../../kit/linearizability/timeline.ts';

const MONDAY = '2026-01-05T00:00:00.000Z';
const TUESDAY = '2026-01-06T00:00:00.000Z';
const MILLISECOND_NS = 1_000_000;

/** An order for one of a pet: order 1 is for pet 101, and so on. */
function row(id: number, more: Partial<Row> = {}): Row {
  return { id: BigInt(id), petId: BigInt(100 + id), quantity: 1, complete: false, ...more };
}
const shippedRow = (id: number) => row(id, { shipDate: MONDAY, complete: true });

const place = (id: number): Request => ({ kind: 'place', petId: BigInt(100 + id), quantity: 1 });
const placeAs = (id: number, petId: number): Request => ({
  kind: 'place',
  id: BigInt(id),
  petId: BigInt(petId),
  quantity: 1,
});
const ship = (id: number, shipDate = MONDAY): Request => ({
  kind: 'ship',
  id: BigInt(id),
  shipDate,
});
const cancel = (id: number): Request => ({ kind: 'cancel', id: BigInt(id) });
const get = (id: number): Request => ({ kind: 'get', id: BigInt(id) });
const list: Request = { kind: 'list' };

const accepted = (id: number): Answer => ({ kind: 'accepted', id: BigInt(id) });
const shown = (order: Row): Answer => ({ kind: 'shown', order });
const listed = (...orders: Row[]): Answer => ({ kind: 'listed', orders });
const unknown: Answer = { kind: 'unknown' };
const notFound: Answer = { kind: 'refused', reason: 'order_not_found' };
const alreadyShipped: Answer = { kind: 'refused', reason: 'order_already_shipped' };
const orderCancelled: Answer = { kind: 'refused', reason: 'order_cancelled' };

/** From one millisecond to another; each operation is another client's. */
type Line = [from: number, to: number, request: Request, answer: Answer];

function history(...lines: readonly Line[]): History {
  return lines.map(
    ([from, to, request, answer], client): Operation => ({
      client,
      request,
      answer,
      invoked: from * MILLISECOND_NS,
      returned: answer.kind === 'unknown' ? Number.POSITIVE_INFINITY : to * MILLISECOND_NS,
    }),
  );
}

const PLACED: Line = [0, 1, place(1), accepted(1)];
const PLACED_2: Line = [0, 1, place(2), accepted(2)];

describe('A history is right in which', () => {
  it.each<[string, ...Line[]]>([
    ['nothing happens'],
    [
      'a list is empty before anything is placed',
      [0, 1, list, listed()],
      [2, 3, place(1), accepted(1)],
    ],
    [
      'a list overlaps a place and does not show it',
      [0, 9, place(1), accepted(1)],
      [1, 2, list, listed()],
    ],
    [
      'of two orders only one is listed with a status',
      PLACED,
      PLACED_2,
      [2, 3, cancel(1), accepted(1)],
      [4, 5, ship(2), accepted(2)],
      [6, 7, list, listed(row(1), { ...shippedRow(2), status: 'shipped' })],
    ],
    [
      'a list overlaps a place and shows it',
      [0, 9, place(1), accepted(1)],
      [1, 2, list, listed(row(1))],
    ],
    [
      'two cancels overlap, and both are accepted',
      PLACED,
      [2, 5, cancel(1), accepted(1)],
      [3, 4, cancel(1), accepted(1)],
    ],
    [
      'a cancel overlaps a shipment and loses',
      PLACED,
      [2, 9, ship(1), accepted(1)],
      [3, 4, cancel(1), alreadyShipped],
    ],
    [
      'a shipment that nobody was told of shows much later',
      PLACED,
      [2, 3, ship(1), unknown],
      [4, 5, get(1), shown(row(1))],
      [6, 7, get(1), shown(shippedRow(1))],
    ],
    [
      'a cancel that nobody was told of never happens',
      PLACED,
      [2, 3, cancel(1), unknown],
      [4, 5, ship(1), accepted(1)],
    ],
    [
      'an order is seen whose placing was never answered',
      [0, 1, place(1), unknown],
      [2, 3, list, listed(row(1))],
    ],
    [
      'an order is cancelled that nobody ever saw',
      [0, 1, place(1), unknown],
      [2, 3, cancel(7), accepted(7)],
    ],
    [
      'what did nothing says nothing',
      [0, 1, place(1), { kind: 'untouched' }],
      [2, 3, list, listed()],
    ],
    [
      'operations that touch are taken to overlap',
      [0, 1, place(1), accepted(1)],
      [1, 2, get(1), notFound],
    ],
  ])('%s', (_, ...lines) => {
    expect(check(history(...lines)).map(tell)).toStrictEqual([]);
  });
});

describe('A history is wrong in which', () => {
  it.each<[string, rule: string, ...Line[]]>([
    [
      'an answer is none that the contract knows',
      'unexpected',
      [0, 1, list, { kind: 'unexpected', words: '418 ' }],
    ],
    ['a list shows an order twice', 'unexpected', PLACED, [2, 3, list, listed(row(1), row(1))]],
    ['an order is listed that nobody asked for', 'nobody', [0, 1, list, listed(row(1))]],
    [
      'an order is shown that was said not to have been placed',
      'nobody',
      [0, 1, place(1), { kind: 'untouched' }],
      [2, 3, get(1), shown(row(1))],
    ],
    [
      'a request that nobody was told of placed two orders',
      'twice',
      [0, 1, place(1), unknown],
      [2, 3, list, listed(row(1), row(2, { petId: 101n }))],
    ],
    [
      'a request that was answered placed one more order',
      'twice',
      PLACED,
      [2, 3, list, listed(row(1), row(2, { petId: 101n }))],
    ],
    ['a list does not show what was placed before', 'linearizable', PLACED, [2, 3, list, listed()]],
    [
      'a list shows what is placed later',
      'linearizable',
      [0, 1, list, listed(row(1))],
      [2, 3, place(1), accepted(1)],
    ],
    [
      'an order is shown before anybody asked for it',
      'linearizable',
      [0, 1, get(1), shown(row(1))],
      [2, 3, place(1), unknown],
    ],
    [
      'a cancel and a shipment are both accepted',
      'linearizable',
      PLACED,
      [2, 9, cancel(1), accepted(1)],
      [3, 8, ship(1), accepted(1)],
    ],
    [
      'a cancel is refused before anybody ships',
      'linearizable',
      PLACED,
      [2, 3, cancel(1), alreadyShipped],
      [4, 5, ship(1), accepted(1)],
    ],
    [
      'a shipment is refused although nobody cancelled',
      'linearizable',
      PLACED,
      [2, 3, ship(1), orderCancelled],
    ],
    [
      'an order ships on two dates',
      'linearizable',
      PLACED,
      [2, 9, ship(1), accepted(1)],
      [3, 8, ship(1, TUESDAY), accepted(1)],
    ],
    [
      'a shipment is undone',
      'linearizable',
      PLACED,
      [2, 3, ship(1), accepted(1)],
      [4, 5, get(1), shown(row(1))],
    ],
    [
      'an order has another quantity than was asked for',
      'linearizable',
      PLACED,
      [2, 3, get(1), shown(row(1, { quantity: 2 }))],
    ],
    ['an id is given to two orders', 'linearizable', PLACED, [2, 3, place(2), accepted(1)]],
    [
      'a cancelled order is told to be pending',
      'linearizable',
      PLACED,
      [2, 3, cancel(1), accepted(1)],
      [4, 5, get(1), shown(row(1, { status: 'pending' }))],
    ],
    [
      'a later list lacks an order',
      'forgotten',
      [0, 9, place(1), accepted(1)],
      [1, 2, list, listed(row(1))],
      [3, 4, list, listed()],
    ],
    [
      'a later list lacks a shipment',
      'forgotten',
      PLACED,
      [2, 9, ship(1), accepted(1)],
      [3, 4, list, listed(shippedRow(1))],
      [5, 6, list, listed(row(1))],
    ],
    [
      'each of two lists lacks what the other has',
      'torn',
      [0, 9, place(1), accepted(1)],
      [0, 9, place(2), accepted(2)],
      [1, 8, list, listed(row(1))],
      [2, 7, list, listed(row(2))],
    ],
    [
      'a list has the later of two orders and not the earlier',
      'moment',
      [0, 9, list, listed(row(2))],
      [1, 2, place(1), accepted(1)],
      [3, 4, place(2), accepted(2)],
    ],
    [
      'a list has a later shipment and lacks an earlier one',
      'moment',
      PLACED,
      PLACED_2,
      [2, 9, list, listed(row(1), shippedRow(2))],
      [3, 4, ship(1), accepted(1)],
      [5, 6, ship(2), accepted(2)],
    ],
    [
      'a list has the order of the later of two lost placements and lacks one that was there before',
      'moment',
      [0, 2, place(1), accepted(1)],
      [1, 2, placeAs(2, 202), unknown],
      [1, 9, list, listed(row(2))],
      [3, 9, placeAs(2, 102), unknown],
    ],
  ])('%s', (_, rule, ...lines) => {
    const violations = check(history(...lines));
    expect(violations.map((violation) => violation.rule)).toStrictEqual([rule]);
  });
});

test('Only those operations are shown that show what is wrong, with what else may have been', () => {
  const wrong = history(
    PLACED,
    [2, 3, get(1), shown(row(1))],
    [4, 5, cancel(1), accepted(1)],
    [6, 9, cancel(1), unknown],
    [7, 10, cancel(1), accepted(1)],
    [8, 12, list, listed(row(1))],
    [13, 15, ship(1), accepted(1)],
    [16, 17, get(1), shown(shippedRow(1))],
    [18, 19, ship(1), unknown],
  );
  const dots = (columns: number) => '·'.repeat(columns);
  expect(check(wrong).map(tell)).toStrictEqual([
    `Broken: what happened to one order can be told as one thing after another (order 1).

  client     from ms       to ms
       0       0.000       never  ├${dots(41)}  place 1 of pet 101 → (whatever was answered)
       2       4.000       never      ├${dots(37)}  cancel 1 → (whatever was answered)
       4       7.000      10.000          ├───┤                               cancel 1 → accepted
       6      13.000       never                  ├${dots(25)}  ship 1 on ${MONDAY} → (whatever was answered)
       7      16.000      17.000                      ├───┤                   get 1 → 1: 1 of pet 101 for ${MONDAY}, complete

  after place 1 of pet 101 by client 0, then cancel 1 by client 2, then cancel 1 by client 4, the order is cancelled; what must come next does not fit:
  get 1 by client 7: the answer would be a cancelled order for 1 of pet 101, without a date`,
  ]);
});

test('A crowd that asks at once is judged at once, even where nothing explains the answers', () => {
  const crowd = Array.from({ length: 300 }, (_, n): Line[] => [
    [2, 100, get(1), shown(row(1))],
    [3 + n / 1000, 100, cancel(1), accepted(1)],
    [4 + n / 1000, 100, ship(1), orderCancelled],
    [5, 100, ship(1), unknown],
  ]).flat();
  expect(check(history(PLACED, ...crowd))).toStrictEqual([]);
  const [violation] = check(history(PLACED, ...crowd, [101, 102, get(1), shown(shippedRow(1))]));
  expect(violation?.rule).toBe('linearizable');
  expect(violation?.evidence.length).toBeLessThan(6);
});

test('A history in which two requests name the same pet cannot be judged', () => {
  const twice = history(PLACED, [2, 3, place(1), unknown]);
  expect(() => check(twice)).toThrow('pet 101 was named twice');
});
