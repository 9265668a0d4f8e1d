import { expect, test } from 'vitest';
import { ServiceClock } from '../../../src/console/state/service-clock.ts';

const DATE = 'Tue, 24 Nov 2026 20:00:00 GMT';
const SERVICE_MS = Date.parse(DATE);
const DAY_MS = 86_400_000;

test.each([0, -3 * 365 * DAY_MS, 3 * 365 * DAY_MS, -SERVICE_MS])(
  'The clock is that of the service in a browser whose own is off by %i ms',
  (offMs) => {
    let browserMs = SERVICE_MS + offMs;
    const clock = new ServiceClock(() => browserMs);
    expect(clock.now()).toBe(browserMs);
    clock.hear(DATE);
    expect(clock.now()).toBe(SERVICE_MS);
    browserMs += 5_000;
    expect(clock.now()).toBe(SERVICE_MS + 5_000);
  },
);

test('The clock is that of the browser within the time of an answer, and without a date', () => {
  const browserMs = SERVICE_MS + 9_000;
  const clock = new ServiceClock(() => browserMs);
  for (const date of [DATE, null, '', 'yesterday']) {
    clock.hear(date);
    expect(clock.now()).toBe(browserMs);
  }
});

test('The clock follows the browser whose own is set right', () => {
  let browserMs = SERVICE_MS - DAY_MS;
  const clock = new ServiceClock(() => browserMs);
  clock.hear(DATE);
  browserMs = SERVICE_MS + 1_000;
  clock.hear(DATE);
  expect(clock.now()).toBe(browserMs);
});
