import { MAX_INT64, MIN_INT64 } from '../vocabulary.ts';

/**
 * Checks of the contract's shapes, for JSON whose integers were parsed as bigints. Each function
 * returns the violation in a few words, or `undefined`.
 */

/** RFC 3339, section 5.6: the date-time of the contract's ISO 8601. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

const int64 = (value: unknown) =>
  typeof value === 'bigint' && value >= MIN_INT64 && value <= MAX_INT64;

/** The contract requires no property: each has a rule for when it is present. */
const PROPERTIES: Readonly<
  Record<string, readonly [holds: (value: unknown) => boolean, rule: string]>
> = {
  id: [int64, 'a 64-bit integer'],
  petId: [int64, 'a 64-bit integer'],
  quantity: [(value) => typeof value === 'bigint', 'an integer'],
  shipDate: [isDateTime, 'a date-time'],
  complete: [(value) => typeof value === 'boolean', 'a boolean'],
};

/** Returns why a value is not an Order of version 1. */
export function wrongWithOrder(value: unknown): string | undefined {
  if (!isObject(value)) return 'it is not an object';
  for (const [name, [holds, rule]] of Object.entries(PROPERTIES)) {
    if (name in value && !holds(value[name])) return `${name} is not ${rule}`;
  }
  return 'id' in value ? undefined : 'it has no id';
}

/** Returns why a value is not the Error for a status. */
export function wrongWithError(value: unknown, status: number): string | undefined {
  if (!isObject(value)) return 'the body is not an Error object';
  if (typeof value.code !== 'string' || value.code === '') return 'the Error has no code';
  if (typeof value.message !== 'string' || value.message === '') return 'the Error has no message';
  if (value.status !== BigInt(status)) return `the Error does not have the status ${status}`;
  return undefined;
}

function isDateTime(value: unknown): boolean {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
