import { describe, expect, it, test } from 'vitest';
import { StoreOrdersError } from '../../../src/client/client.ts';
import { curlOf } from '../../../src/console/state/curl.ts';
import { perMinute, readCheckpoint } from '../../../src/console/state/figures.ts';
import { problemOf } from '../../../src/console/state/problem.ts';
import { countText, durationText, timeText } from '../../../src/console/state/times.ts';

describe('A time', () => {
  it('is shown in UTC, or in another zone, with all its digits', () => {
    const at = '2026-03-05T23:30:00.120Z';
    expect(timeText(at, 'utc')).toBe('2026-03-05 23:30:00.120');
    expect(timeText(at, 'local', 'Europe/Vienna')).toBe('2026-03-06 00:30:00.120');
  });
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [273_600_000, '3 d 4 h'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('The thousands of a number are apart', () => {
  expect([0, 999, 1_000, 1_234_567].map(countText)).toEqual(['0', '999', '1 000', '1 234 567']);
});

test('A command has no key, and quotes what a shell would interpret', () => {
  expect(curlOf("http://a/v2?x=$(y)'")).toBe(
    `curl 'http://a/v2?x=$(y)'\\''' \\\n  -H "Authorization: Bearer $KEY"`,
  );
});

describe('A problem', () => {
  const error = (code: StoreOrdersError['code'], message = '', retryAfterMs?: number) =>
    new StoreOrdersError(code, message, { retryAfterMs });

  it.each([
    [error('unauthorized'), 'key_refused', undefined],
    [error('insufficient_scope'), 'scope_missing', undefined],
    [error('order_not_found'), 'not_found', undefined],
    [error('invalid_request', 'asOf: the log ends at position 3'), 'moment_to_come', undefined],
    [error('invalid_request', 'asOf: it is in the future'), 'moment_to_come', undefined],
    [error('invalid_request', 'asOf: must be a time'), 'other', undefined],
    [error('gone'), 'gone', undefined],
    [error('service_unavailable', '', 7_000), 'busy', 7_000],
    [error('network'), 'unreachable', 5_000],
    [error('internal_error'), 'other', undefined],
  ])('of %s is %s', (thrown, kind, retryMs) => {
    const problem = problemOf(thrown, true);
    expect([problem.kind, problem.retryMs]).toEqual([kind, retryMs]);
  });

  it('of no answer is that of the device, if that is offline', () => {
    expect(problemOf(error('network'), false).kind).toBe('offline');
  });

  it('is none of a fault in the console itself', () => {
    expect(() => problemOf(new TypeError('x'), true)).toThrow(TypeError);
  });
});

test('Events a minute are those of the hour under way by the minutes of it that have passed', () => {
  const hour = (start: string, placed: number) => ({ start, placed, shipped: 0, cancelled: 0 });
  const hours = [hour('2026-01-01T00:00:00Z', 120), hour('2026-01-01T01:00:00Z', 30)];
  const at = Date.parse('2026-01-01T01:10:00Z');
  expect(perMinute(hours, at)).toEqual({ current: '3.0', before: '2.0' });
  expect(perMinute([], at)).toEqual({ current: '0.0', before: '0.0' });
});

test('A checkpoint names its size and its root', () => {
  expect(readCheckpoint('log\n5\nroot=\n\n— log sig\n')).toEqual({ size: 5, root: 'root=' });
});
