/** Copies a column into a longer one, or one of the same length, and returns the copy. */
export function copied<Column extends { set(from: Column): void }>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}

/** The first index from 0 up to `end` for which `holds` is true, which then stays true; or `end`. */
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
