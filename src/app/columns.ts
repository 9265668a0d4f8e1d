/** Copies a column into a longer one, or one of the same length, and returns the copy. */
export function copied<Column extends { set(from: Column): void }>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
