import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/app/log/recorded-event.ts';
import type { OrderEvent } from '../../../src/client/client.ts';
import { stepsOf } from '../../../src/console/state/history.ts';

const event = (type: string, version: number, data: object) =>
  ({ type, version, time: `2026-01-01T00:00:0${version}.000Z`, data }) as unknown as OrderEvent;
const placed = { orderId: '9007199254740993', petId: '7', quantity: 2 };
const shipDate = '2026-02-03T04:05:06Z';

it('The state after each event is the fold of the events up to it', () => {
  const ends = fc.constantFrom(undefined, ...EVENT_TYPES.slice(1));
  fc.assert(
    fc.property(ends, fc.boolean(), (end, hasReason) => {
      const reason = hasReason ? { reason: 'fraud_suspected' } : {};
      const data = end === 'OrderShipped' ? { shipDate } : reason;
      const { orderId } = placed;
      const last = end === undefined ? [] : [event(end, 2, { orderId, ...data })];
      const steps = stepsOf([event('OrderPlaced', 1, placed), ...last]);
      const { orderId: id, ...rest } = placed;
      const before = { id, ...rest, status: 'pending', complete: false };
      expect(steps[0]?.state).toEqual({ ...before, placedAt: '2026-01-01T00:00:01.000Z' });
      expect(steps).toHaveLength(last.length + 1);
      if (end === undefined) return;
      expect(steps[1]?.gapMs).toBe(1_000);
      const at = '2026-01-01T00:00:02.000Z';
      const why = hasReason ? { cancelReason: 'fraud_suspected' } : {};
      const after =
        end === 'OrderShipped'
          ? { status: 'shipped', complete: true, shipDate, shippedAt: at }
          : { status: 'cancelled', cancelledAt: at, ...why };
      expect(steps[1]?.state).toEqual({ ...steps[0]?.state, ...after });
    }),
  );
});

it('An event of a type that is not known is a step, behind which no state is known', () => {
  const { orderId } = placed;
  const events = [
    event('OrderPlaced', 1, placed),
    event('OrderLost', 2, { orderId }),
    event('OrderShipped', 3, { orderId, shipDate }),
  ];
  const steps = stepsOf(events);
  expect(steps.map((step) => step.event)).toEqual(events);
  expect(steps.map(({ state }) => state?.status)).toEqual(['pending', undefined, undefined]);
  expect(steps.map(({ gapMs }) => gapMs)).toEqual([undefined, 1_000, 1_000]);
});
