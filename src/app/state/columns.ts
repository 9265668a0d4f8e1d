/** Operations on columns: typed arrays that have one entry for each order or event. */

/** Copies a column into another one of at least the same length, and returns that. */
export function copied<Column extends { set(from: Column): void }>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}

/** Returns a copy of columns with one entry per order, with room for `length` orders. */
export function grown<Columns extends object>(columns: Columns, length: number): Columns {
  const copies = Object.entries(columns).map(([name, column]) => {
    return [name, copied(column, new column.constructor(length))];
  });
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
