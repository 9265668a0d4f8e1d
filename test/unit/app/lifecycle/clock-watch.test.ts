import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchClock } from '../../../../src/app/lifecycle/clock-watch.ts';
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
