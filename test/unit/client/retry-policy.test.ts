import { describe, expect, it } from 'vitest';
import { delayAfter, isPassing, retryAfterOf } from '../../../src/client/retry-policy.ts';

describe('The wait before another attempt', () => {
  it('doubles to 5 seconds, and is random below that', () => {
    const longest = [1, 2, 3, 4, 5, 6, 7, 60].map((failures) => delayAfter(failures, 0, () => 1));
    expect(longest).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    expect(delayAfter(7, 0, () => 0)).toBe(0);
    const drawn = Array.from({ length: 100 }, () => delayAfter(3));
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...drawn)).toBeLessThan(400);
    expect(new Set(drawn).size).toBeGreaterThan(90);
  });

  it('begins only behind the time that the service has asked for', () => {
    expect(delayAfter(1, 2_000, () => 0)).toBe(2_000);
    expect(delayAfter(1, 2_000, () => 1)).toBe(2_100);
  });
});

describe('Retry-After', () => {
  const date = 'Tue, 24 Nov 2026 08:00:00 GMT';

  it.each([
    [{}, undefined],
    [{ 'Retry-After': '3' }, 3_000],
    [{ 'Retry-After': '0' }, 0],
    [{ 'Retry-After': '' }, undefined],
    [{ 'Retry-After': '120' }, 120_000],
    [{ 'Retry-After': '86401' }, 86_400_000],
    [{ 'Retry-After': '9'.repeat(400) }, 86_400_000],
    [{ 'Retry-After': 'Tue, 24 Nov 2099 08:00:05 GMT', Date: date }, 86_400_000],
    [{ 'Retry-After': 'Tue, 24 Nov 2026 08:00:05 GMT', Date: date }, 5_000],
    [{ 'Retry-After': 'Tue, 24 Nov 2026 07:00:00 GMT', Date: date }, undefined],
    [{ 'Retry-After': date }, undefined],
    [{ 'Retry-After': 'soon', Date: date }, undefined],
    [{ 'Retry-After': '-1', Date: date }, undefined],
  ])('%j', (headers, wait) => {
    expect(retryAfterOf(new Headers(headers as Record<string, string>))).toBe(wait);
  });
});

it.each([
  ['invalid_request', 408, true],
  ['invalid_request', 400, false],
  ['rate_limited', 429, true],
  ['service_unavailable', 503, true],
  ['outcome_unknown', 503, true],
  ['network', undefined, true],
  ['timeout', undefined, true],
  ['unexpected_response', 429, true],
  ['unexpected_response', 502, true],
  ['unexpected_response', 504, true],
  ['unexpected_response', 500, false],
  ['unexpected_response', 200, false],
  ['internal_error', 500, false],
  ['aborted', undefined, false],
] as const)('%s with status %s is sent again: %s', (code, status, again) => {
  expect(isPassing(status === undefined ? { code } : { code, status })).toBe(again);
});
