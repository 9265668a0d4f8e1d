import { describe, expect, it, test } from 'vitest';
import {
  EVENT_TYPES,
  fieldsOf,
  foldInputOf,
  highestIdIn,
  type RecordedEvent,
  recordOf,
  tracesOf,
} from '../../../../src/app/log/recorded-event.ts';
import type { PetId } from '../../../../src/domain/order-id.ts';
import { encode } from '../../../../src/infra/events/codec.ts';
import {
  cancelled,
  LATER,
  NOON,
  placed,
  recorded,
  shipped,
  TRACEPARENT,
} from '../../../support/events.ts';

it('what a fold takes in of an event has the same members for every type', () => {
  const [noon, later] = [Date.parse(NOON), Date.parse(LATER)];
  const events = recorded(
    placed(1n, { petId: 9n as PetId, quantity: 3, shipDate: LATER }),
    placed(2n),
    shipped(1n, LATER),
    cancelled(2n),
    placed(3n),
    cancelled(3n, 'duplicate'),
  );
  expect(events.map(foldInputOf).map((input) => Object.values(input))).toStrictEqual([
    [1, 1, 'OrderPlaced', 1n, noon, 9n, 3, later, undefined],
    [2, 1, 'OrderPlaced', 2n, noon, 7n, 1, NaN, undefined],
    [3, 2, 'OrderShipped', 1n, noon, 0n, 0, later, undefined],
    [4, 2, 'OrderCancelled', 2n, noon, 0n, 0, NaN, undefined],
    [5, 1, 'OrderPlaced', 3n, noon, 7n, 1, NaN, undefined],
    [6, 2, 'OrderCancelled', 3n, noon, 0n, 0, NaN, 'duplicate'],
  ]);
});

test('the types of events are those of the domain', () => {
  expect(EVENT_TYPES).toStrictEqual(
    [placed(1n), shipped(1n), cancelled(1n)].map(({ type }) => type),
  );
});

it('the traces among events are those of the events that have one, by position', () => {
  const [first, second] = recorded(placed(1n), placed(2n)) as [RecordedEvent, RecordedEvent];
  expect(tracesOf([first, { ...second, traceparent: TRACEPARENT }])).toStrictEqual(
    new Map([[2, TRACEPARENT]]),
  );
});

it('the highest id among events is that of any of them, and 0 without a positive one', () => {
  expect(highestIdIn(recorded(placed(3n), placed(9n), placed(4n)))).toBe(9n);
  expect(highestIdIn(recorded(placed(-1n)))).toBe(0n);
  expect(highestIdIn([])).toBe(0n);
});

describe('the fields in a record', () => {
  const [stored] = recorded(placed(1n, { shipDate: LATER })).map(encode);
  const record = recordOf(stored ?? expect.fail());

  it('are those that it was made of', () => {
    expect(fieldsOf(record)).toEqual(stored);
  });

  it.each([
    'null',
    '[]',
    record.slice(0, -1),
    ` ${record}`,
    record.replace('"position":1', '"position":1.0'),
    record.replace('"position":1', '"position":"1"'),
    record.replace('"quantity":1', '"quantity": 1'),
    record.replace(/}$/, ',"x":1}'),
    record.replace(/}$/, ',"version":1}'),
    record.replace('"version"', '"\\u0076ersion"'),
  ])('are none in %s', (text) => {
    expect(text).not.toBe(record);
    expect(fieldsOf(text)).toBeUndefined();
  });
});
