import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Instant,
  instantAt,
  isInstant,
  millisecondsOf,
  parseBound,
  parseInstant,
} from '../../../src/domain/instant.ts';
import { times } from '../../kit/arbitraries.ts';
import { instants } from '../../support/arbitraries.ts';

const MINUTE_MS = 60_000;
const two = (value: number) => String(value).padStart(2, '0');

/** Writes a time the way a clock with this offset, in minutes, would show it. */
function withOffset(time: number, offset: number): string {
  const local = new Date(time + offset * MINUTE_MS).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

describe('the milliseconds of an instant', () => {
  it('are those that it was made of, in every year from 0000 to 9999', () => {
    fc.assert(
      fc.property(times, (time) => {
        expect(millisecondsOf(instantAt(time) as Instant)).toBe(time);
      }),
    );
  });

  it('make the text of toISOString, on every day of 400 years and at both ends', () => {
    const day = 86_400_000;
    const begin = Date.parse('1970-01-01T00:00:00.000Z');
    for (let time = begin; time < begin + 146_097 * day; time += day) {
      const late = time + day - 1;
      if (instantAt(time) === new Date(time).toISOString()) {
        if (instantAt(late) === new Date(late).toISOString()) continue;
      }
      expect(instantAt(time)).toBe(new Date(time).toISOString());
      expect(instantAt(late)).toBe(new Date(late).toISOString());
    }
    for (const text of ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      expect(instantAt(Date.parse(text))).toBe(text);
    }
  });

  it.each([
    '0000-01-01T00:00:00.000Z',
    '0099-12-31T23:59:59.999Z',
    '0100-01-01T00:00:00.000Z',
    '1969-12-31T23:59:59.999Z',
    '2024-02-29T12:34:56.789Z',
    '9999-12-31T23:59:59.999Z',
  ])('are those of Date.parse: %s', (text) => {
    expect(millisecondsOf(text as Instant)).toBe(Date.parse(text));
  });
});

describe('reading a date-time', () => {
  it('takes an instant as it stands', () => {
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseInstant(instant)).toBe(instant);
        expect(isInstant(instant)).toBe(true);
      }),
    );
  });

  it('converts it to UTC from any offset', () => {
    const aDayInside = times.filter((time) => {
      const year = new Date(time).getUTCFullYear();
      return year > 0 && year < 9999;
    });
    const offsets = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });
    fc.assert(
      fc.property(aDayInside, offsets, (time, offset) => {
        expect(parseInstant(withOffset(time, offset))).toBe(new Date(time).toISOString());
      }),
    );
  });

  it('makes equal moments equal texts, and later ones greater texts', () => {
    fc.assert(
      fc.property(times, times, (one, other) => {
        const [a, b] = [instantAt(one) as string, instantAt(other) as string];
        expect(Math.sign(a < b ? -1 : Number(a > b))).toBe(Math.sign(one - other));
      }),
    );
  });

  it('finds exactly the days that the calendar has', () => {
    const parts = fc.tuple(
      fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(1900, 2000, 2023, 2024, 2100)),
      fc.integer({ min: 0, max: 13 }),
      fc.oneof(fc.integer({ min: 0, max: 32 }), fc.integer({ min: 28, max: 31 })),
    );
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
        const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        const exists = day >= 1 && day <= (days[month - 1] ?? 0);
        const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T12:00:00.000Z`;
        expect(parseInstant(text)).toBe(exists ? text : undefined);
        expect(isInstant(text)).toBe(exists);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns a canonical instant unchanged', () => {
    const nearly = fc
      .tuple(instants, fc.nat({ max: 23 }), fc.constantFrom(...'0123456789:.-+TZtz '))
      .map(([text, at, other]) => text.slice(0, at) + other + text.slice(at + 1));
    fc.assert(
      fc.property(nearly, (text) => {
        expect(isInstant(text)).toBe(parseInstant(text) === text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['a leap day of a century', '2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['lowercase letters', '2026-01-02t03:04:05z', '2026-01-02T03:04:05.000Z'],
    ['a short fraction', '2026-01-02T03:04:05.6Z', '2026-01-02T03:04:05.600Z'],
    ['a long fraction, cut off', '2026-01-02T03:04:05.9999999Z', '2026-01-02T03:04:05.999Z'],
    ['a fraction before 1970, cut off', '1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['an offset into the next day', '2026-02-28T23:30:00-01:00', '2026-03-01T00:30:00.000Z'],
    ['an offset into the last year', '2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['an unknown offset', '2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000Z'],
    ['the widest offset', '2026-01-02T23:59:00+23:59', '2026-01-02T00:00:00.000Z'],
    ['the first moment', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['the last moment', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['the year 0000 by its offset', '0000-01-01T01:00:00+01:00', '0000-01-01T00:00:00.000Z'],
  ])('knows %s', (_, text, instant) => {
    expect(parseInstant(text)).toBe(instant);
  });

  it.each([
    ['nothing', ''],
    ['a date alone', '2026-01-02'],
    ['a local time without an offset', '2026-01-02T03:04:05'],
    ['a blank for the T', '2026-01-02 03:04:05Z'],
    ['no seconds', '2026-01-02T03:04Z'],
    ['an empty fraction', '2026-01-02T03:04:05.Z'],
    ['a fraction after a comma', '2026-01-02T03:04:05,6Z'],
    ['the 29th of February in a common year', '2023-02-29T00:00:00Z'],
    ['the 29th of February in 1900', '1900-02-29T00:00:00Z'],
    ['the 31st of April', '2026-04-31T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['hour 24', '2026-01-02T24:00:00Z'],
    ['minute 60', '2026-01-02T03:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an offset of 24 hours', '2026-01-02T03:04:05+24:00'],
    ['an offset of 60 minutes', '2026-01-02T03:04:05+00:60'],
    ['an offset without a colon', '2026-01-02T03:04:05+0100'],
    ['an offset without minutes', '2026-01-02T03:04:05+01'],
    ['letters for a year', 'yyyy-01-02T03:04:05.000Z'],
    ['a year of one digit', '6-01-02T03:04:05.000Z'],
    ['month 0', '2026-00-02T03:04:05.000Z'],
    ['month 0x', '2026-0x-02T03:04:05.000Z'],
    ['month 1x', '2026-1x-02T03:04:05.000Z'],
    ['month 19', '2026-19-02T03:04:05.000Z'],
    ['day 1x', '2026-01-1xT03:04:05.000Z'],
    ['day 2x', '2026-01-2xT03:04:05.000Z'],
    ['hour 2x', '2026-01-02T2x:04:05.000Z'],
    ['hour 1x', '2026-01-02T1x:04:05.000Z'],
    ['hour x', '2026-01-02Tx3:04:05.000Z'],
    ['hour 25', '2026-01-02T25:04:05.000Z'],
    ['minute 61', '2026-01-02T03:61:05.000Z'],
    ['minute 1x', '2026-01-02T03:1x:05.000Z'],
    ['second 61', '2026-01-02T03:04:61.000Z'],
    ['second 1x', '2026-01-02T03:04:1x.000Z'],
    ['letters for a fraction', '2026-01-02T03:04:05.xxxZ'],
    ['a word before an instant', 'at 2026-01-02T03:04:05.000Z'],
    ['a word after an instant', '2026-01-02T03:04:05.000Z or so'],
    ['a year of five digits', '12026-01-02T03:04:05Z'],
    ['a year with a sign', '+002026-01-02T03:04:05Z'],
    ['a moment that is before 0000 in UTC', '0000-01-01T00:00:00+00:01'],
    ['a moment that is after 9999 in UTC', '9999-12-31T23:59:59-00:01'],
    ['a blank before it', ' 2026-01-02T03:04:05Z'],
    ['a line break after it', '2026-01-02T03:04:05Z\n'],
    ['digits of another script', '٢٠٢٦-01-02T03:04:05Z'],
  ])('refuses %s', (_, text) => {
    expect(parseInstant(text)).toBeUndefined();
    expect(isInstant(text)).toBe(false);
  });
});

describe('a bound', () => {
  it.each([
    ['an instant', '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['no part of a millisecond', '2026-01-02T03:04:05.678000+00:00', '2026-01-02T03:04:05.678Z'],
    ['no fraction', '2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['the smallest part', '2026-01-02T03:04:05.6780000000001Z', '2026-01-02T03:04:05.679Z'],
    ['a part at the end of a day', '2026-02-28T22:59:59.9995-01:00', '2026-03-01T00:00:00.000Z'],
    ['a part before 1970', '1969-12-31T23:59:59.9991Z', '1970-01-01T00:00:00.000Z'],
    ['a part at the end of all', '9999-12-31T23:59:59.9991Z', '9999-12-31T23:59:59.999Z'],
    ['another text', '2026-01-02 03:04:05.6785Z', undefined],
  ])('is the first instant that is not before the moment: %s', (_what, text, instant) => {
    expect(parseBound(text)).toBe(instant);
  });
});

describe('the instant at a time', () => {
  it('is the one that a clock in UTC shows', () => {
    fc.assert(
      fc.property(times, (time) => {
        expect(instantAt(time)).toBe(new Date(time).toISOString());
      }),
    );
  });

  it('is the right one again and again on the same days, and between the milliseconds', () => {
    const within = fc.double({ min: 0, max: 86_399_999, noNaN: true });
    // Days that are so far apart share a place in the table of those that are known.
    const dated = fc.array(fc.tuple(fc.nat({ max: 2 }), within), { minLength: 2 });
    fc.assert(
      fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), dated, (day, parts) => {
        for (const [turns, part] of parts) {
          const time = (day + turns * 1_024) * 86_400_000 + part;
          expect(instantAt(time)).toBe(new Date(time).toISOString());
        }
      }),
    );
  });

  it.each([
    ['before the year 0000', Date.parse('0000-01-01T00:00:00.000Z') - 1],
    ['after the year 9999', Date.parse('9999-12-31T23:59:59.999Z') + 1],
    ['beyond what a Date can hold', 1e300],
    ['infinitely late', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
  ])('does not exist %s', (_, time) => {
    expect(instantAt(time)).toBeUndefined();
  });
});
