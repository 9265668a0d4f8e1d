import { DayTable } from './day-table.ts';

declare const instant: unique symbol;

/**
 * A moment in UTC, always written `YYYY-MM-DDTHH:MM:SS.sssZ` (24 characters, milliseconds), so
 * that two equal moments are two equal strings and text order is time order.
 */
export type Instant = string & { readonly [instant]: true };

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

// Most texts are canonical already, and every day up to the 28th exists in every month: these need
// no calendar.
const PLAINLY_CANONICAL =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a date-time of RFC 3339, section 5.6, with any offset, and moves it to UTC. Digits beyond
 * the millisecond are cut off, not rounded. `undefined` where the text is anything else, names a
 * day or an hour that does not exist, is a leap second (JavaScript's clock has none), or leaves
 * the years 0000 to 9999 on its way to UTC.
 */
export function parseInstant(text: string): Instant | undefined {
  if (PLAINLY_CANONICAL.test(text)) return text as Instant;
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] =
    parts;
  const milliseconds = `${fraction ?? ''}000`.slice(0, 3);
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
  const time = Date.parse(local);
  // Date.parse accepts 24:00:00 and, in some months, a 30th or 31st that does not exist: both come
  // back as another text than they went in.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) return undefined;
  return instantAt(time - offsetInMinutes(sign, offsetHour, offsetMinute) * 60_000);
}

/** Whether a text is an {@link Instant} as it stands. */
export function isInstant(text: string): text is Instant {
  return parseInstant(text) === text;
}

/**
 * The instant at so many milliseconds since 1970, if its year has four digits. toISOString says the
 * same, in five times the time.
 */
export function instantAt(milliseconds: number): Instant | undefined {
  if (!(milliseconds >= FIRST && milliseconds <= LAST)) return undefined;
  const time = Math.trunc(milliseconds);
  const day = Math.floor(time / DAY);
  const rest = time - day * DAY;
  const seconds = Math.floor(rest / 1_000);
  const minutes = Math.floor(seconds / 60);
  const clock = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${dayTexts.get(day)}${clock}.${THREE_DIGITS[rest % 1_000]}Z` as Instant;
}

/** The same for any number of milliseconds: beyond the years 0000 to 9999, the end that is nearer. */
export function nearestInstant(milliseconds: number): Instant {
  return instantAt(Math.min(Math.max(milliseconds, FIRST), LAST)) as Instant;
}

const DAY = 86_400_000;
/** What the instants of a day begin with, by its number since 1970. */
const dayTexts = new DayTable((day) => {
  return new Date(day * DAY).toISOString().slice(0, 'YYYY-MM-DDT'.length);
});
const THREE_DIGITS = Array.from({ length: 1_000 }, (_, value) => String(value).padStart(3, '0'));

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** The milliseconds since 1970 of an instant. Date.parse says the same, in five times the time. */
export function millisecondsOf(instant: Instant): number {
  // Date.UTC takes 0 to 99 for years of the twentieth century.
  if (instant.startsWith('00')) return Date.parse(instant);
  const [year, month, day] = [digits(instant, 0, 4), digits(instant, 5, 7), digits(instant, 8, 10)];
  const [hour, minute] = [digits(instant, 11, 13), digits(instant, 14, 16)];
  const [second, millisecond] = [digits(instant, 17, 19), digits(instant, 20, 23)];
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index++) value = value * 10 + text.charCodeAt(index) - 48;
  return value;
}

/** How far a clock is ahead of UTC; NaN where no clock can be. Without a sign it shows UTC. */
function offsetInMinutes(sign?: string, hours: unknown = 0, minutes: unknown = 0): number {
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}
