/**
 * Columns: typed arrays that have one entry for each order or event, and grow with them. Their lengths
 * are the room that they have; the entries behind the last one are unspecified.
 */

/** A kind of column: the constructor of its typed array. */
interface Kind<Column> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBuffer): Column;
}

/** Room is made for this many entries at once. */
const STEP_ENTRIES = 65_536;
/**
 * Address space is reserved for this many entries, and 16 times as many each time when they do not
 * suffice. It takes no memory until it is used, but may be limited as well.
 */
const RESERVED_ENTRIES = 2 ** 24;
const RESERVED_TIMES = 16;

/**
 * Returns a column with so many entries, of 0. It grows in place: an array that is copied into a longer
 * one leaves its memory to the garbage collector, and is half empty afterwards.
 */
export function columnOf<Column>(kind: Kind<Column>, length = 0): Column {
  let reserved = RESERVED_ENTRIES;
  while (reserved < length) reserved *= RESERVED_TIMES;
  const maxByteLength = reserved * kind.BYTES_PER_ELEMENT;
  return new kind(new ArrayBuffer(length * kind.BYTES_PER_ELEMENT, { maxByteLength }));
}

type Growable = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array;

/** Returns a column with the first entries of another one. */
export function copied<Column extends Growable>(column: Column, length: number): Column {
  const copy = columnOf(column.constructor as unknown as Kind<Column>, length);
  copy.set(column.subarray(0, length) as never);
  return copy;
}

/**
 * Returns the column with room for one entry more at least: the same one, unless the address space that
 * it has reserved is used up.
 */
export function grown<Column extends Growable>(column: Column): Column {
  const { BYTES_PER_ELEMENT, length } = column;
  const buffer = column.buffer as ArrayBuffer;
  const bytes = (Math.floor(length / STEP_ENTRIES) + 1) * STEP_ENTRIES * BYTES_PER_ELEMENT;
  if (bytes > buffer.maxByteLength) return extended(column, bytes / BYTES_PER_ELEMENT);
  buffer.resize(bytes);
  return column;
}

function extended<Column extends Growable>(column: Column, length: number): Column {
  const longer = columnOf(column.constructor as unknown as Kind<Column>, length);
  longer.set(column as never);
  return longer;
}

/** Returns the columns, each with room for one entry more at least. */
export function allGrown<Columns extends object>(columns: Columns): Columns {
  const grownColumns = Object.entries(columns).map(([name, column]) => [name, grown(column)]);
  return Object.fromEntries(grownColumns);
}

/** Returns copies of the first entries of columns. */
export function allCopied<Columns extends object>(columns: Columns, length: number): Columns {
  const copies = Object.entries(columns).map(([name, column]) => [name, copied(column, length)]);
  return Object.fromEntries(copies);
}

/** Returns the first index below `end` for which `holds`, as it must for all after it; or `end`. */
export function firstIndex(end: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
