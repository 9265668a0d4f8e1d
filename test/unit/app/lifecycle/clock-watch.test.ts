import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchClock, watchClockRange } from '../../../../src/app/lifecycle/clock-watch.ts';
import { NOON } from '../../../support/events.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse(NOON) }));
afterEach(() => void vi.useRealTimers());

describe('a step of the wall clock', () => {
  it.each([-3_600_000, -1_000, -500, 500, 1_000, 8_000 * 365 * 86_400_000])(
    'of %i ms is reported once',
    (step) => {
      const steps: number[] = [];
      const end = watchClock((stepMs) => steps.push(stepMs));
      vi.advanceTimersByTime(3_000);
      expect(steps).toStrictEqual([]);
      vi.setSystemTime(Date.now() + step);
      vi.advanceTimersByTime(5_000);
      expect(steps).toStrictEqual([step]);
      vi.setSystemTime(Date.now() - step);
      vi.advanceTimersByTime(1_000);
      expect(steps).toStrictEqual([step, -step]);
      end();
      vi.setSystemTime(Date.now() + step);
      vi.advanceTimersByTime(5_000);
      expect(steps).toHaveLength(2);
    },
  );

  it('that is as small as what NTP slews is not', () => {
    const steps: number[] = [];
    const end = watchClock((stepMs) => steps.push(stepMs));
    for (const step of [-499, 499, 1, -1]) {
      vi.setSystemTime(Date.now() + step);
      vi.advanceTimersByTime(1_000);
    }
    expect(steps).toStrictEqual([]);
    end();
  });
});

describe('a clock outside the years 0000 to 9999', () => {
  it.each([-3_000, 8_000])('is an impairment, until it is set right: by %i years', (years) => {
    const said = new Set<string>();
    const end = watchClockRange({
      impaired: (reason, { message }) => void said.add(`${reason}: ${message}`),
      mended: (reason) => void said.add(`${reason} is over`),
    });
    vi.setSystemTime(Date.now() + years * 366 * 86_400_000);
    vi.advanceTimersByTime(1_000);
    const begun = 'clock_out_of_range: the clock is outside the years 0000 to 9999';
    expect([...said]).toStrictEqual([begun]);
    vi.setSystemTime(Date.parse(NOON));
    vi.advanceTimersByTime(1_000);
    expect([...said]).toStrictEqual([begun, 'clock_out_of_range is over']);
    end();
    expect(vi.getTimerCount()).toBe(0);
  });
});
