import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../src/app/log/recorded-event.ts';
import { parseSpeed } from '../../../src/cli/shared/replay-watch.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import { MemoryEventLog } from '../../../src/infra/memory/event-log.ts';
import { Place } from '../../support/command-line.ts';
import { cancelled, LATER, NOON, newEvent, placed, shipped } from '../../support/events.ts';

const FAST = ['--speed', '9999999/s'];

/** Creates a store with these events, recorded at these times. */
async function storeOf(events: readonly NewEvent[], times: readonly string[] = []): Promise<Place> {
  const log = new MemoryEventLog();
  await log.append(0, () =>
    events.map((event, index) => {
      const at = (times[index] ?? NOON) as Instant;
      return { ...event, metadata: { ...event.metadata, at } };
    }),
  );
  return new Place(log);
}

const LIFE = [
  newEvent(placed(2n ** 63n - 1n, { shipDate: LATER })),
  newEvent(placed(2n, { quantity: 3 })),
  newEvent(shipped(2n ** 63n - 1n), 2),
  newEvent(cancelled(2n, 'duplicate'), 2),
];
const LINES = [
  '       1  2026-01-01T12:00:00.000Z  order 9223372036854775807 placed: 1 of pet 7, to ship 2026-01-01T13:00:00.000Z, by test',
  '       2  2026-01-01T12:00:00.000Z  order 2 placed: 3 of pet 7, by test',
  '       3  2026-01-01T12:00:00.000Z  order 9223372036854775807 shipped 2026-01-01T12:00:00.000Z, by test',
  '       4  2026-01-01T12:00:00.000Z  order 2 cancelled (duplicate), by test',
];

describe('replay --watch', () => {
  test('prints a plain line for each event if there is no terminal', async () => {
    const place = await storeOf(LIFE);
    expect(await place.run('replay', '--watch', ...FAST)).toEqual({
      code: 0,
      out: `${LINES.join('\n')}\n`,
      err: 'Played up to position 4 of 4.\n',
    });
  });

  test('shows a counter below the lines on a terminal, and removes it at the end', async () => {
    const place = await storeOf(LIFE);
    const { code, out } = await place.runOnTerminal('replay', '--watch', ...FAST);
    expect(code).toBe(0);
    const clear = '\r\u001b[K';
    const [first, second] = LINES;
    expect(out).toContain(`${clear}${first}\nposition 1: 1 pending, 0 shipped, 0 cancelled`);
    expect(out).toContain(`${clear}${second}\nposition 2: 2 pending, 0 shipped, 0 cancelled`);
    expect(out.endsWith(`position 4: 0 pending, 1 shipped, 1 cancelled${clear}`)).toBe(true);
  });

  test('ends at a position or a time', async () => {
    const place = await storeOf(LIFE, [NOON, NOON, NOON, LATER]);
    const lines = async (to: string) => {
      const { out } = await place.run('replay', ...FAST, '--to', to);
      return out.split('\n').length - 1;
    };
    expect(await lines('0')).toBe(0);
    expect(await lines('2')).toBe(2);
    expect(await lines(NOON)).toBe(3);
    expect(await lines('2020-01-01T00:00:00Z')).toBe(0);
    const { code, err } = await place.run('replay', '--watch', '--to', '5');
    expect([code, err]).toEqual([1, "store-orders: --to 5 is beyond the log's end (4).\n"]);
  });

  test('plays at a fixed rate, or at a multiple of the real time', async () => {
    const place = await storeOf(LIFE, [NOON, NOON, NOON, LATER]);
    const playing = [
      place.run('replay', '--speed', '0.1/s'),
      // An hour lies between the last two.
      place.run('replay', '--speed', '60x'),
    ];
    await expect.poll(() => place.shown.map(({ text }) => text === '')).toEqual([false, false]);
    const first = await Promise.race([...playing, setTimeout(1_000, 'still playing')]);
    expect(first).toBe('still playing');
    // As Ctrl-C does it.
    process.emit('SIGINT');
    for (const { code, err } of await Promise.all(playing)) {
      expect(code).toBe(0);
      expect(err).toMatch(/^Played up to position [0-3] of 4\.\n$/);
    }
    const quick = await place.run('replay', '--speed', '999999x', '--to', '3');
    expect(quick.out.split('\n')).toHaveLength(4);
  });

  test('prints no control characters from the log', async () => {
    const [event] = LIFE as [NewEvent];
    const by = '\u001b[2J\u0007mallory\u202e';
    const place = await storeOf([{ ...event, metadata: { ...event.metadata, by } }]);
    const { out } = await place.run('replay', '--watch', ...FAST);
    expect(out).toContain('by ?[2J?mallory?\n');
  });

  test.each([
    ['--watch', '--out', 'x'],
    ['--watch', '--format', 'csv'],
    ['--speed', '0/s'],
    ['--speed', '10'],
    ['--speed', 'fast'],
  ])('is a usage error with %s %s %s', async (...args) => {
    expect(await new Place().run('replay', ...args.filter(Boolean))).toMatchObject({ code: 2 });
  });
});

test.each([
  ['10/s', { kind: 'rate', perSecond: 10 }],
  ['0.5/s', { kind: 'rate', perSecond: 0.5 }],
  ['60x', { kind: 'scale', times: 60 }],
  ['0.25x', { kind: 'scale', times: 0.25 }],
  ['0x', undefined],
  ['0.0/s', undefined],
  ['-1x', undefined],
  ['1e3x', undefined],
  ['', undefined],
])('the speed %j is read', (text, speed) => {
  expect(parseSpeed(text)).toEqual(speed);
});
