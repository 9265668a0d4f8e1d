import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RecordedEvent } from '../../../../src/app/log/recorded-event.ts';
import { type Moment, parseMoment, positionAt } from '../../../../src/app/read/moment.ts';
import { OrderList } from '../../../../src/app/state/order-list.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import { instants } from '../../../support/arbitraries.ts';
import { LATER, NOON, placed, recorded } from '../../../support/events.ts';

function listOf(events: Iterable<RecordedEvent>): OrderList<null> {
  const list = new OrderList(() => null);
  for (const event of events) list.fold(event);
  return list;
}

/** An order placed at each of these times. */
function placedAt(...times: readonly Instant[]): OrderList<null> {
  const events = recorded(...times.map((_, index) => placed(BigInt(index))));
  return listOf(
    events.map((event, index) => {
      return { ...event, metadata: { ...event.metadata, at: times[index] as Instant } };
    }),
  );
}

/** A millisecond before. */
function justBefore(time: Instant): Instant {
  return new Date(Date.parse(time) - 1).toISOString() as Instant;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(LATER) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('The text of a moment', () => {
  it('is a position or a date-time', () => {
    expect(parseMoment('0')).toBe(0);
    expect(parseMoment('4294967295')).toBe(4_294_967_295);
    expect(parseMoment('2026-01-01T13:00:00+01:00')).toBe(NOON);
  });

  it.each(['', '-1', '-0', '00', '1.0', '1e3', '12345678901234567', '2026-01-01', ' 1', '٣'])(
    'is nothing else: %j',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );
});

describe('The position of a moment', () => {
  it('is a position itself, from before the first event to the last', () => {
    const list = placedAt(NOON, NOON);
    expect([0, 1, 2, 3].map((position) => positionAt(list, position))).toEqual([
      0,
      1,
      2,
      undefined,
    ]);
  });

  it('is that of the last event by a time, or at it', () => {
    const list = placedAt(NOON, NOON, LATER);
    const moments = [justBefore(NOON), NOON, justBefore(LATER), LATER];
    expect(moments.map((moment) => positionAt(list, moment))).toEqual([0, 2, 2, 3]);
  });

  it('agrees with a count, whatever the times are', () => {
    fc.assert(
      fc.property(fc.array(instants, { maxLength: 40 }), instants, (times, any) => {
        vi.setSystemTime(Date.parse('9999-12-31T23:59:59.999Z'));
        const list = placedAt(...times.toSorted());
        for (const time of [any, ...times]) {
          expect(positionAt(list, time)).toBe(times.filter((each) => each <= time).length);
        }
      }),
    );
  });

  it('is undefined for a future time, unless an event was recorded at or after it', () => {
    vi.setSystemTime(Date.parse(NOON));
    expect(positionAt(placedAt(), NOON)).toBe(0);
    expect(positionAt(placedAt(), LATER)).toBeUndefined();
    expect(positionAt(placedAt(NOON), LATER)).toBeUndefined();
    // The clock was set back after these were recorded.
    expect(positionAt(placedAt(NOON, LATER), LATER)).toBe(2);
    expect(positionAt(placedAt(NOON, LATER), justBefore(LATER))).toBe(1);
    const after: Moment = '2026-01-01T13:00:00.001Z' as Instant;
    expect(positionAt(placedAt(NOON, LATER), after)).toBeUndefined();
  });
});
