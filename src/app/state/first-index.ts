/** Binary search. */

/** Returns the first index below `end` for which `holds`, as it must for all after it; or `end`. */
export function firstIndex(end: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = end;
  while (low < high) {
    // Half the sum, which may be beyond 32 bits.
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
