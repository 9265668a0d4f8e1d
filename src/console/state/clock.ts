/** The wall clock of the console. It measures ages and idle time, which the service never sees. */

/** Returns milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** Returns the milliseconds since 1970 of an instant in RFC 3339; NaN for anything else. */
export function millisecondsOf(instant: string): number {
  return Date.parse(instant);
}

/** Returns the present instant in RFC 3339. */
export function instantNow(): string {
  return new Date(now()).toISOString();
}

/**
 * Returns the instant of a date and time: in its own zone, or without one, such as `2026-03-01T12:00`, in
 * the local one. `undefined` for anything else, and outside of the years 0000 to 9999.
 */
export function instantOf(text: string): string | undefined {
  const ms = millisecondsOf(text);
  const instant = Number.isNaN(ms) ? '' : new Date(ms).toISOString();
  return /^\d{4}-/.test(instant) ? instant : undefined;
}

/** Returns an instant so many milliseconds after another one. */
export function instantAfter(instant: string, ms: number): string {
  return new Date(millisecondsOf(instant) + ms).toISOString();
}
