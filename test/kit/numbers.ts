/** The checks of numbers that a user gives: with one out of its range, nothing would be checked, or too much. */

/** The longest time that a timer of Node.js waits, in milliseconds: a longer one ends at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a RangeError unless numbers are whole, and at least 1: with 0, nothing would be checked. */
export function requireCounts(counts: Readonly<Record<string, unknown>>): void {
  for (const [name, count] of Object.entries(counts)) {
    if (isWhole(count) && count >= 1) continue;
    throw wrong(name, 'a whole number from 1', count);
  }
}

/** Throws a RangeError unless a limit is a whole number from 1, or Infinity, which is no limit. */
export function requireLimit(name: string, limit: unknown): void {
  if (limit === Infinity || (isWhole(limit) && limit >= 1)) return;
  throw wrong(name, 'a whole number from 1, or Infinity for no limit', limit);
}

/** Throws a RangeError unless a time is a number from 0, or Infinity, which is no limit. */
export function requireTime(name: string, time: unknown): void {
  if (typeof time === 'number' && time >= 0) return;
  throw wrong(name, 'a number from 0, or Infinity for no limit', time);
}

/** Throws a RangeError unless a number is whole and within a range. */
export function requireWithin(name: string, value: unknown, least: number, most: number): void {
  if (isWhole(value) && value >= least && value <= most) return;
  throw wrong(name, `a whole number from ${least} to ${most}`, value);
}

/** Throws a RangeError unless a seed is a whole number. */
export function requireSeed(name: string, seed: unknown): void {
  if (!isWhole(seed)) throw wrong(name, 'a whole number', seed);
}

/** Returns the error of an option that has another value than is due. */
export function wrong(name: string, due: string, value: unknown): RangeError {
  return new RangeError(`${name} must be ${due}, and is ${shown(value)}`);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  return Object(value) === value ? Object.prototype.toString.call(value) : String(value);
}
