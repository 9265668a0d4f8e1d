/**
 * Columns as parameters: arrays in PostgreSQL's binary form, as `array_send` in its source writes them.
 * The driver would make a text of each, in which every quote is escaped; that took three times as long
 * here, and the server has to read it back. For a statement that says what it takes, as `$1::text[]`.
 */

/** Types by their numbers, as `pg_type` has them. */
const BYTEA = 17;
const INT8 = 20;
const INT4 = 23;
const TEXT = 25;

/** The number of dimensions, whether there may be nulls, and the type: four bytes each. */
const HEAD = 12;
/** A dimension: its size, and the index of the first, which is 1. */
const DIMENSION = 8;
/** What stands before each value: its size in bytes, −1 for a null. */
const SIZE = 4;

/** Throws RangeError for what is no int4. */
export function int4s(values: readonly (number | null)[]): Buffer {
  return arrayOf(INT4, values, 4 * values.length, (into, at, value) => {
    return into.writeInt32BE(value, at) - at;
  });
}

/** Throws RangeError for what is no int8. */
export function int8s(values: readonly (number | bigint | null)[]): Buffer {
  return arrayOf(INT8, values, 8 * values.length, (into, at, value) => {
    return into.writeBigInt64BE(BigInt(value), at) - at;
  });
}

/** In UTF-8. The server refuses the character 0. */
export function texts(values: readonly (string | null)[]): Buffer {
  let size = 0;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  return arrayOf(TEXT, values, size, (into, at, value) => into.write(value, at));
}

export function byteas(values: readonly Buffer[]): Buffer {
  const size = values.reduce((sum, { length }) => sum + length, 0);
  return arrayOf(BYTEA, values, size, (into, at, value) => value.copy(into, at));
}

/**
 * @param size How many bytes all values take together, at most.
 * @param put Writes a value at a place, and tells how many bytes it takes.
 */
function arrayOf<Value>(
  type: number,
  values: readonly (Value | null)[],
  size: number,
  put: (into: Buffer, at: number, value: Value) => number,
): Buffer {
  const into = Buffer.allocUnsafe(HEAD + DIMENSION + SIZE * values.length + size);
  into.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  into.writeInt32BE(1, 4);
  into.writeInt32BE(type, 8);
  // No values, no dimension.
  if (values.length === 0) return into.subarray(0, HEAD);
  into.writeInt32BE(values.length, HEAD);
  into.writeInt32BE(1, HEAD + 4);
  let at = HEAD + DIMENSION;
  for (const value of values) {
    const taken = value === null ? -1 : put(into, at + SIZE, value);
    into.writeInt32BE(taken, at);
    at += SIZE + Math.max(taken, 0);
  }
  return into.subarray(0, at);
}
