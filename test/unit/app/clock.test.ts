import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLOCKS, clockForExpiry, nearestNow, now } from '../../../src/app/clock.ts';
import { NOON } from '../../support/events.ts';
import { clockAt } from '../../support/test-clock.ts';

afterEach(() => void vi.useRealTimers());

describe('the clocks of the machine', () => {
  it('are the wall clock and a monotonic one', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    vi.setSystemTime(NOON);
    const begun = CLOCKS.elapsed();
    vi.advanceTimersByTime(1_000);
    vi.setSystemTime('1970-01-01T00:00:00Z');
    expect(CLOCKS.elapsed() - begun).toBe(1_000);
    expect(CLOCKS.wall()).toBe(0);
    expect(now()).toBe('1970-01-01T00:00:00.000Z');
  });

  it('return no recordable time outside the years 0000 to 9999', () => {
    expect(() => now(() => Date.parse('9999-12-31T23:59:59.999Z') + 1)).toThrow(
      'the clock is outside the years 0000 to 9999',
    );
    expect(() => now(() => Number.NaN)).toThrow('the clock is outside the years 0000 to 9999');
  });

  it('return the nearest time where one is needed at all costs', () => {
    expect(nearestNow(() => 0)).toBe('1970-01-01T00:00:00.000Z');
    expect(nearestNow(() => 1e15)).toBe('9999-12-31T23:59:59.999Z');
    expect(nearestNow(() => -1e15)).toBe('0000-01-01T00:00:00.000Z');
    expect(nearestNow()).toMatch(/Z$/);
  });
});

describe('the clock for what expires', () => {
  const DAY_MS = 86_400_000;
  const move = fc.record({
    kind: fc.constantFrom('pass', 'step'),
    by: fc.integer({ min: -400 * 365 * DAY_MS, max: 400 * 365 * DAY_MS }),
  });

  it('is never behind the wall clock or the elapsed time, and never ahead of both', () => {
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const clock = clockAt(NOON);
        const expiry = clockForExpiry(clock);
        let unstepped = Date.parse(NOON);
        for (const { kind, by } of moves) {
          if (kind === 'step') clock.step(by);
          else {
            clock.pass(Math.abs(by));
            unstepped += Math.abs(by);
          }
          expect(expiry()).toBeCloseTo(Math.max(clock.wall(), unstepped), 1);
        }
      }),
    );
  });
});
