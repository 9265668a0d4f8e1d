/** The clock of the browser, which measures idle time, and instants as milliseconds. */

/** The difference of the two clocks of the browser when the page was loaded. The wall clock is cut to milliseconds. */
const OFFSET_MS = Date.now() + 1 - performance.now();

/**
 * Returns milliseconds since 1970, which never decrease within a page: the wall clock, or, if that was set back, the
 * time that it would otherwise show. The elapsed time alone stands still while the device sleeps.
 */
export function now(): number {
  return Math.max(Date.now(), OFFSET_MS + performance.now());
}

/** Returns the milliseconds since 1970 of an instant in RFC 3339, or of an HTTP date; NaN for any other text. */
export function millisecondsOf(instant: string): number {
  return Date.parse(instant);
}

/** Returns the instant so many milliseconds after the beginning of 1970, in RFC 3339. */
export function instantAt(ms: number): string {
  return new Date(ms).toISOString();
}

/**
 * Returns the instant of a date and time: in its own zone, or without one, such as `2026-03-01T12:00`, in
 * the local one. `undefined` for anything else, and outside of the years 0000 to 9999.
 */
export function instantOf(text: string): string | undefined {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  // Date.parse takes 30 February for 2 March.
  const ms = date === undefined || isDate(date) ? millisecondsOf(text) : Number.NaN;
  const instant = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  return /^\d{4}-/.test(instant) ? instant : undefined;
}

/** An instant with parts of a second, perhaps. */
const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i;

/** Returns true for an instant with its offset from UTC, as the API takes it. */
export function isInstant(text: string): boolean {
  return INSTANT.test(text) && instantOf(text) !== undefined;
}

/** Returns true for a date of the calendar, such as `2026-02-28`. */
function isDate(date: string): boolean {
  const ms = millisecondsOf(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && instantAt(ms).startsWith(date);
}

/** Returns an instant so many milliseconds after another one. */
export function instantAfter(instant: string, ms: number): string {
  return new Date(millisecondsOf(instant) + ms).toISOString();
}
