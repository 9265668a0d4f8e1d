/**
 * Parses JSON without rounding: an integer becomes a bigint, however it is written, because JSON
 * Schema takes 1.0 for an integer, too. Returns `undefined` if the text is not JSON.
 */
export function exactJson(text: string): unknown {
  return quickly(text) ?? slowly(text);
}

/** No text is expected to have it: a character for private use. */
const MARK = '\uE000';

/** Matches what may be a number that JSON.parse rounds. Its 16 digits are those of 2 ** 53. */
const LONG = /(?<=[[:,]\s*)-?\d{16,}(?:\.0+)?(?=\s*[,\]}])/g;

/**
 * Returns the value, or `undefined` if it has to be parsed slowly. Long numbers are parsed as marked
 * strings. Within a string, the quotes would end it, and what follows would be no JSON.
 *
 * A list takes a third of the time that a reviver with the source of each value takes, and a conformance
 * run parses hundreds of lists.
 */
function quickly(text: string): unknown {
  if (text.includes(MARK) || text.includes('\\')) return undefined;
  try {
    return exact(JSON.parse(text.replace(LONG, `"${MARK}$&"`)));
  } catch {
    return undefined;
  }
}

/** Replaces the numbers in a value that was just parsed. Throws for one that may be rounded. */
function exact(value: unknown): unknown {
  if (typeof value === 'number') return exactNumber(value);
  if (typeof value === 'string') return value.startsWith(MARK) ? integerIn(value.slice(1)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) members[name] = exact(members[name]);
  return value;
}

function exactNumber(value: number): bigint | number {
  if (Number.isSafeInteger(value)) return BigInt(value);
  if (Number.isInteger(value) || !Number.isFinite(value)) throw new RangeError('maybe rounded');
  return value;
}

function slowly(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { readonly source?: string }) =>
      typeof value === 'number' ? exactly(value, context?.source ?? '') : value,
    );
  } catch {
    return undefined;
  }
}

function exactly(value: number, source: string): bigint | number {
  const integer = integerIn(source);
  if (integer !== undefined) return integer;
  return Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** Returns the integer that a text is in all its digits. */
function integerIn(text: string): bigint | undefined {
  const [, digits] = /^(-?\d+)(?:\.0+)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : BigInt(digits);
}
