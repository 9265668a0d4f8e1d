import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNightly } from '../../support/nightly.ts';
import { illegalHistories, legalHistories } from '../histories.ts';
import type { OrderEvent } from '../vocabulary.ts';
import { failuresOf, wrongInTrail } from './check-trail.ts';
import { trailModule } from './trail.ts';

// A run of Quint takes more than a second, so one replays many histories.
const HISTORIES = isNightly ? 300 : 80;

/** Returns events under an id that is unique to their order and history. */
function inHistory(index: number, events: readonly OrderEvent[]): readonly OrderEvent[] {
  return events.map((event) => ({ ...event, orderId: event.orderId * 1_000n + BigInt(index) }));
}

test('Every legal history is a trail of the specification', async () => {
  const histories = fc.sample(legalHistories(), HISTORIES);
  const events = histories.flatMap((history, index) => inHistory(index, history));
  expect(events.length).toBeGreaterThan(HISTORIES);
  expect(await wrongInTrail(events)).toBeUndefined();
});

test('No illegal history is one', async () => {
  const broken = fc.sample(illegalHistories(), HISTORIES).map(({ events, at }, index) => {
    const wrong = events[at] as OrderEvent;
    const stream = events.slice(0, at + 1).filter(({ orderId }) => orderId === wrong.orderId);
    return inHistory(index, stream);
  });
  const failures = await failuresOf(trailModule('illegal', broken.flat(), 1));
  expect(failures).toHaveLength(HISTORIES);
});

test('The order whose events are no steps is named, and its events', async () => {
  const placed = (orderId: bigint) =>
    ({ type: 'OrderPlaced', orderId, petId: 7n, quantity: 1 }) as const;
  const shipDate = '2026-01-01T00:00:00.000Z';
  const ends = [
    { type: 'OrderShipped', orderId: 2n, shipDate },
    { type: 'OrderCancelled', orderId: 2n },
  ] as const;
  const events = [placed(1n), placed(2n), placed(3n), ...ends];
  expect(await wrongInTrail(events.slice(0, 4))).toBeUndefined();
  expect(await wrongInTrail(events)).toBe(
    'these events are no steps of the specification: OrderPlaced 2, OrderShipped 2, OrderCancelled 2',
  );
  expect(await wrongInTrail([])).toBeUndefined();
});
