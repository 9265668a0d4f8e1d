import { describe, expect, it, test } from 'vitest';
import type { OrderEvent, StoreOrders } from '../../../src/client/client.ts';
import { StoreOrdersError } from '../../../src/client/client.ts';
import { curlOf } from '../../../src/console/state/curl.ts';
import { type ExportFormat, piecesOf } from '../../../src/console/state/event-export.ts';
import { limitsText, perMinute, readCheckpoint } from '../../../src/console/state/figures.ts';
import { idBehind } from '../../../src/console/state/ids.ts';
import { isolated } from '../../../src/console/state/isolated.ts';
import { FileChanged, isWorthRetry, problemOf } from '../../../src/console/state/problem.ts';
import {
  countText,
  durationText,
  relativeText,
  timeFormOf,
  timeText,
} from '../../../src/console/state/times.ts';

describe('A time', () => {
  it('is shown in UTC, or in another zone, with all its digits', () => {
    const at = '2026-03-05T23:30:00.120Z';
    expect(timeText(at, 'utc')).toBe('2026-03-05 23:30:00.120');
    expect(timeText(at, 'local', 'Europe/Vienna')).toBe('2026-03-06 00:30:00.120');
  });

  it.each([
    ['2026-10-24T23:59:59Z', 'Europe/Berlin', '2026-10-25 01:59:59'],
    ['2026-10-25T00:30:00.5Z', 'Europe/Berlin', '2026-10-25 02:30:00.5 +02:00'],
    ['2026-10-25T01:30:00.5Z', 'Europe/Berlin', '2026-10-25 02:30:00.5 +01:00'],
    ['2026-10-25T02:00:00Z', 'Europe/Berlin', '2026-10-25 03:00:00'],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29 03:00:00'],
    ['2026-10-25T01:30:00Z', 'Europe/London', '2026-10-25 01:30:00 +00:00'],
    ['2026-11-01T04:00:00Z', 'America/St_Johns', '2026-11-01 01:30:00 -02:30'],
    ['2026-04-04T14:59:00Z', 'Australia/Lord_Howe', '2026-04-05 01:59:00 +11:00'],
    ['2026-10-25T00:30:00Z', 'Antarctica/Troll', '2026-10-25 02:30:00 +02:00'],
    ['2026-10-25T02:30:00Z', 'Antarctica/Troll', '2026-10-25 02:30:00 +00:00'],
    ['2026-10-25T03:00:00Z', 'Antarctica/Troll', '2026-10-25 03:00:00'],
    ['2011-12-31T00:00:00Z', 'Pacific/Apia', '2011-12-31 14:00:00'],
    ['2026-10-25T00:30:00Z', 'Asia/Kathmandu', '2026-10-25 06:15:00'],
  ])('has its offset in an hour that the zone has twice: %s in %s', (at, zone, text) => {
    expect(timeText(at, 'local', zone)).toBe(text);
  });

  it.each([
    ['0000-06-01T12:00:00Z', 'UTC', '0000-06-01 12:00:00'],
    ['0001-01-01T00:00:00Z', 'America/St_Johns', '0000-12-31 20:29:08'],
    ['0000-01-01T00:00:00Z', 'America/St_Johns', '-0001-12-31 20:29:08'],
    ['9999-12-31T23:59:59Z', 'Asia/Kathmandu', '10000-01-01 05:44:59'],
  ])('is right at the ends of the years: %s in %s', (at, zone, text) => {
    expect(timeText(at, 'local', zone)).toBe(text);
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
    [error('not_found'), 'absent', undefined],
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

  it.each([408, 429, 502, 503, 504])('of a proxy that answers %d passes', (status) => {
    const details = { status, retryAfterMs: 9_000 };
    const problem = problemOf(new StoreOrdersError('unexpected_response', '', details), true);
    expect([problem.kind, problem.retryMs]).toEqual(['busy', 9_000]);
  });

  it('is worth another attempt unless none could end it', () => {
    const isWorth = (thrown: unknown) => isWorthRetry(problemOf(thrown, true));
    const worth = ['internal_error', 'unexpected_response', 'order_not_found', 'network'] as const;
    for (const code of worth) expect(isWorth(error(code)), code).toBe(true);
    const lasting = ['unauthorized', 'insufficient_scope', 'gone'] as const;
    for (const code of lasting) expect(isWorth(error(code)), code).toBe(false);
    expect(isWorth(new FileChanged())).toBe(false);
  });

  it('is none of a fault in the console itself', () => {
    expect(() => problemOf(new TypeError('x'), true)).toThrow(TypeError);
  });
});

test('Events a minute are those of whole minutes', () => {
  const minute = (placed: number) => ({ start: '', placed, shipped: 1, cancelled: 1 });
  // The last one is not over.
  expect(perMinute([minute(2), minute(3), minute(90)])).toEqual({ last: 5, mean: '4.5' });
  expect(perMinute([minute(7)])).toEqual({ last: 0, mean: '0.0' });
  expect(perMinute([])).toEqual({ last: 0, mean: '0.0' });
});

test('A checkpoint names its size and its root', () => {
  expect(readCheckpoint('log\n5\nroot=\n\n— log sig\n', 'log+0123abcd+key')).toEqual({
    size: 5,
    root: 'root=',
  });
});

test.each([
  [0, 'now'],
  [999, 'now'],
  [61_000, '1 min 1 s ago'],
  [-7_200_000, 'in 2 h'],
])('A time %d ms ago is %s', (ms, text) => {
  const at = '2026-01-01T00:00:00.000Z';
  expect(relativeText(at, Date.parse(at) + ms)).toBe(text);
});

test('A form of times that is none of them is UTC', () => {
  expect(['local', 'relative', 'x', null].map(timeFormOf)).toEqual([
    'local',
    'relative',
    'utc',
    'utc',
  ]);
});

test('The id behind one stays within 64 bits', () => {
  expect(idBehind('5')).toBe('6');
  expect(idBehind('-1')).toBe('0');
  expect(idBehind('9223372036854775807')).toBeUndefined();
});

describe('A text of others in a sentence', () => {
  it('has a direction of its own, and cannot end it', () => {
    expect(isolated('עדה 12')).toBe('\u2068עדה 12\u2069');
    expect(isolated('a\u2069\u202eb')).toBe('\u2068ab\u2069');
    expect(isolated('é')).toBe('\u2068é\u2069');
  });

  it('is as it is where it has no letter but those of ASCII', () => {
    for (const text of ['', 'w1.example/w', '9007199254740993']) expect(isolated(text)).toBe(text);
  });
});

describe('Events as a file', () => {
  const event = (position: number, keyname: string) =>
    ({
      position,
      time: 't',
      type: 'OrderPlaced',
      by: 'import',
      keyname,
      commandid: 'c',
      data: { orderId: '9007199254740993', petId: '7', quantity: 2 },
    }) as unknown as OrderEvent;
  const pages = [[event(1, 'a,"b"')], [], [event(2, '=1+1')]];
  const events = {
    list: () => ({
      async *pages() {
        for (const data of pages) yield { data, next: null };
      },
    }),
  } as unknown as StoreOrders['events'];
  const written = async (format: ExportFormat) => {
    const pieces = await Array.fromAsync(piecesOf(events, {}, format));
    expect(pieces.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    return pieces.map(({ text }) => text).join('');
  };

  it('are those of all pages, one a line, with exact ids', async () => {
    const lines = (await written('ndjson')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(pages.flat());
  });

  it('are quoted in CSV, and no name is a formula', async () => {
    expect((await written('csv')).split('\r\n')).toEqual([
      'position,time,type,orderId,petId,quantity,shipDate,reason,by,keyname,commandid',
      '1,t,OrderPlaced,9007199254740993,7,2,,,import,"a,""b""",c',
      "2,t,OrderPlaced,9007199254740993,7,2,,,import,'=1+1,c",
      '',
    ]);
  });

  it.each([
    ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
    ['-1.5e3', "'-1.5e3"],
    ['--1', "'--1"],
    ['-', "'-"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['＝1+1', "'＝1+1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['-9007199254740993', '-9007199254740993'],
    ['-1.5', '-1.5'],
    ['shop - 1', 'shop - 1'],
  ])('have the name %j as %j in CSV', async (name, field) => {
    const one = {
      list: () => ({
        async *pages() {
          yield { data: [event(1, name)], next: null };
        },
      }),
    } as unknown as StoreOrders['events'];
    const [, line] = await Array.fromAsync(piecesOf(one, {}, 'csv'));
    expect(line?.text).toBe(`1,t,OrderPlaced,9007199254740993,7,2,,,import,${field},c\r\n`);
  });
});

test('The limits of a key are shown, whichever it has', () => {
  const rate = { requests: 100, seconds: 60, burst: 20 };
  const rated = 'requests: 100 in 60 s, and at once: 20';
  expect(limitsText({ rate })).toBe(rated);
  expect(limitsText({ concurrent: 2 })).toBe('under way: 2');
  expect(limitsText({ streams: 3 })).toBe('event streams: 3');
  const all = `${rated}; under way: 2; event streams: 3`;
  expect(limitsText({ rate, concurrent: 2, streams: 3 })).toBe(all);
  expect([limitsText({}), limitsText()]).toEqual(['none of its own', 'none of its own']);
});
