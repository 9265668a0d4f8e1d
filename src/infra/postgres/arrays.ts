/**
 * Columns as parameters: arrays in PostgreSQL's binary form, as `array_send` in its source writes
 * them. The driver's own form is a text with every quote escaped, which took three times as long
 * here, and which the server has to parse. Statements must declare the type, as in `$1::text[]`.
 */

/** The object ids of types in `pg_type`. */
const BYTEA_OID = 17;
const INT8_OID = 20;
const INT4_OID = 23;
const TEXT_OID = 25;

/** The number of dimensions, a flag for nulls, and the type: four bytes each. */
const HEAD_BYTES = 12;
/** A dimension: its size, and the index of the first value, which is 1. */
const DIMENSION_BYTES = 8;
/** The prefix of each value: its size in bytes, −1 for a null. */
const SIZE_BYTES = 4;

/** Returns an int4[]. Throws RangeError if a value is out of range. */
export function int4s(values: readonly (number | null)[]): Buffer {
  return arrayOf(INT4_OID, values, 4 * values.length, (into, at, value) => {
    return into.writeInt32BE(value, at) - at;
  });
}

/** Returns an int8[]. Throws RangeError if a value is out of range. */
export function int8s(values: readonly (number | bigint | null)[]): Buffer {
  return arrayOf(INT8_OID, values, 8 * values.length, (into, at, value) => {
    return into.writeBigInt64BE(BigInt(value), at) - at;
  });
}

/** Returns a text[] in UTF-8. The server refuses the character 0. */
export function texts(values: readonly (string | null)[]): Buffer {
  let size = 0;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  return arrayOf(TEXT_OID, values, size, (into, at, value) => into.write(value, at));
}

export function byteas(values: readonly Buffer[]): Buffer {
  const size = values.reduce((sum, { length }) => sum + length, 0);
  return arrayOf(BYTEA_OID, values, size, (into, at, value) => value.copy(into, at));
}

/**
 * @param size The maximum size of all values together, in bytes.
 * @param put Writes a value at an offset, and returns its size in bytes.
 */
function arrayOf<Value>(
  type: number,
  values: readonly (Value | null)[],
  size: number,
  put: (into: Buffer, at: number, value: Value) => number,
): Buffer {
  const into = Buffer.allocUnsafe(HEAD_BYTES + DIMENSION_BYTES + SIZE_BYTES * values.length + size);
  into.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  into.writeInt32BE(1, 4);
  into.writeInt32BE(type, 8);
  // An array without values has no dimension.
  if (values.length === 0) return into.subarray(0, HEAD_BYTES);
  into.writeInt32BE(values.length, HEAD_BYTES);
  into.writeInt32BE(1, HEAD_BYTES + 4);
  let at = HEAD_BYTES + DIMENSION_BYTES;
  for (const value of values) {
    const taken = value === null ? -1 : put(into, at + SIZE_BYTES, value);
    into.writeInt32BE(taken, at);
    at += SIZE_BYTES + Math.max(taken, 0);
  }
  return into.subarray(0, at);
}
