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

/** Returns the instant of a date and time without a zone, such as `2026-03-01T12:00`, in the local zone. */
export function instantOfLocal(text: string): string {
  return new Date(text).toISOString();
}

/** Returns an instant so many milliseconds after another one. */
export function instantAfter(instant: string, ms: number): string {
  return new Date(millisecondsOf(instant) + ms).toISOString();
}
