import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { now } from '../../../src/console/state/clock.ts';

const DAY_MS = 86_400_000;

// Elapsed time stays real, since nobody can set it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('The clock of a page goes on when that of the browser is set back', () => {
  const before = now();
  vi.setSystemTime(Date.now() - DAY_MS);
  expect(now()).toBeGreaterThanOrEqual(before);
  expect(now()).toBeLessThan(before + DAY_MS);
});

test('The clock of a page follows that of the browser forward: the device may have slept', () => {
  vi.setSystemTime(Date.now() + DAY_MS);
  expect(now()).toBe(Date.now());
});
