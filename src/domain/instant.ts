/**
 * Moments in UTC as canonical texts: reading them from RFC 3339, and converting them to and from
 * milliseconds since 1970.
 */

declare const instant: unique symbol;

/**
 * A moment in UTC, always written `YYYY-MM-DDTHH:MM:SS.sssZ` (24 characters, milliseconds), so
 * that two equal moments are two equal strings and text order is time order.
 */
export type Instant = string & { readonly [instant]: true };

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

// A fast path. Most texts are canonical already, and every day up to the 28th exists in every
// month: these need no calendar.
const CANONICAL_UP_TO_28TH =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Matches a date-time of RFC 3339 with a part of a millisecond. */
const BEYOND_MILLISECONDS = /\.\d{3}\d*[1-9]/;

/** The first and the last instant, in milliseconds since 1970. */
const FIRST_INSTANT_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_INSTANT_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Reads a date-time of RFC 3339, section 5.6, with any offset, and converts it to UTC. Digits
 * beyond the millisecond are cut off, not rounded. Returns `undefined` for any other text, for a
 * day or an hour that does not exist, for a leap second (JavaScript's clock has none), and for a
 * moment that in UTC is outside of the years 0000 to 9999.
 */
export function parseInstant(text: string): Instant | undefined {
  return CANONICAL_UP_TO_28TH.test(text) ? (text as Instant) : parseDateTime(text);
}

/**
 * As {@link parseInstant}, but returns the first instant that is not before the moment, so that instants
 * compare with it as with the moment itself; at the end of the year 9999, the last instant.
 */
export function parseBound(text: string): Instant | undefined {
  const cut = parseInstant(text);
  if (cut === undefined || !BEYOND_MILLISECONDS.test(text)) return cut;
  return nearestInstant(millisecondsOf(cut) + 1);
}

function parseDateTime(text: string): Instant | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] =
    parts;
  const milliseconds = `${fraction ?? ''}000`.slice(0, 3);
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
  const time = Date.parse(local);
  // Date.parse accepts 24:00:00 and, in some months, a 30th or 31st that does not exist: written
  // again, both are another text.
  if (Number.isNaN(time) || new Date(time).toISOString() !== local) return undefined;
  return instantAt(time - offsetInMinutes(sign, offsetHour, offsetMinute) * 60_000);
}

/** Returns true if a text is an {@link Instant} as it stands. */
export function isInstant(text: string): text is Instant {
  return parseInstant(text) === text;
}

/**
 * Returns the instant at a number of milliseconds since 1970; `undefined` outside of the years 0000
 * to 9999. Dates are computed in integers (Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms"): a year begins in March here, so that a leap day is its last day. toISOString
 * returns the same, in several times the time.
 */
export function instantAt(milliseconds: number): Instant | undefined {
  if (!(milliseconds >= FIRST_INSTANT_MS && milliseconds <= LAST_INSTANT_MS)) return undefined;
  const time = Math.trunc(milliseconds);
  const days = Math.floor(time / DAY_MS);
  const ofDay = (time - days * DAY_MS) | 0;
  const seconds = (ofDay / 1_000) | 0;
  const minutes = (seconds / 60) | 0;
  const sinceMarch = (days + DAYS_BEFORE_1970) | 0;
  const century = ((4 * sinceMarch + 3) / DAYS_IN_400_YEARS) | 0;
  const ofCentury = sinceMarch - ((century * DAYS_IN_400_YEARS) >> 2);
  const yearOfCentury = ((4 * ofCentury + 3) / DAYS_IN_4_YEARS) | 0;
  const ofYear = ofCentury - ((yearOfCentury * DAYS_IN_4_YEARS) >> 2);
  const isNextYear = ofYear >= DAYS_FROM_MARCH_TO_JANUARY;
  const year = century * 100 - 400 + yearOfCentury + (isNextYear ? 1 : 0);
  const date = padded(year, 4) + DATES[ofYear];
  const ofMinute = SECONDS[seconds - minutes * 60];
  return (date + MINUTES[minutes] + ofMinute + MILLISECONDS[ofDay - seconds * 1_000]) as Instant;
}

/**
 * Returns the instant at a number of milliseconds since 1970; outside of the years 0000 to 9999 the
 * first or the last instant, whichever is nearer.
 */
export function nearestInstant(milliseconds: number): Instant {
  return instantAt(Math.min(Math.max(milliseconds, FIRST_INSTANT_MS), LAST_INSTANT_MS)) as Instant;
}

const DAY_MS = 86_400_000;
/** Days from 1 March of the year -400 on, so that no day of the years 0000 to 9999 is negative. */
const DAYS_BEFORE_1970 = 865_565;
const [DAYS_IN_400_YEARS, DAYS_IN_4_YEARS] = [146_097, 1_461];
const DAYS_FROM_MARCH_TO_JANUARY = 306;

// The parts of an instant as texts: `-MM-DDT` by the days since 1 March, `HH:MM:`, `SS.` and
// `sssZ`.
const DATES = texts(366, (day) => new Date(Date.UTC(1999, 2, 1 + day)).toISOString().slice(4, 11));
const MINUTES = texts(
  1_440,
  (minute) => `${padded((minute / 60) | 0, 2)}:${padded(minute % 60, 2)}:`,
);
const SECONDS = texts(60, (second) => `${padded(second, 2)}.`);
const MILLISECONDS = texts(1_000, (millisecond) => `${padded(millisecond, 3)}Z`);

function texts(length: number, textOf: (index: number) => string): readonly string[] {
  return Array.from({ length }, (_, index) => textOf(index));
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** Returns the milliseconds since 1970 of an instant, as Date.parse does in twice the time. */
export function millisecondsOf(instant: Instant): number {
  const day = dayNumber(digits(instant, 0, 4), digits(instant, 5, 7), digits(instant, 8, 10));
  const minutes = digits(instant, 11, 13) * 60 + digits(instant, 14, 16);
  const seconds = minutes * 60 + digits(instant, 17, 19);
  return day * DAY_MS + seconds * 1_000 + digits(instant, 20, 23);
}

/** Returns a day's number since 1970, for a year from 0 on; the month 13 is the next January. */
export function dayNumber(year: number, month: number, day: number): number {
  const isBeforeMarch = month <= 2;
  const years = year + (isBeforeMarch ? 399 : 400);
  const ofYear = ((153 * (isBeforeMarch ? month + 9 : month - 3) + 2) / 5) | 0;
  const leapDays = (years >> 2) - ((years / 100) | 0) + ((years / 400) | 0);
  return 365 * years + leapDays + ofYear + day - 1 - DAYS_BEFORE_1970;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let index = from; index < to; index++) value = value * 10 + text.charCodeAt(index) - 48;
  return value;
}

/** Returns the minutes that a clock is ahead of UTC, 0 without a sign; NaN beyond ±23:59. */
function offsetInMinutes(sign?: string, hours: unknown = 0, minutes: unknown = 0): number {
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN;
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}
