/**
 * The rows of a long list that are in the page: those in view and a few around them. Padding above and
 * below stands for all others. Browsers limit the height of an element, so a list that would be
 * higher than {@link HEIGHT_PX_MAX} has that height, and a step of its scroll bar passes over more rows.
 */

export const ROWS_MAX = 60;
export const HEIGHT_PX_MAX = 8_000_000;
const ROWS_AROUND = 8;

export interface VirtualWindow {
  readonly first: number;
  /** The row behind the last one. */
  readonly end: number;
  readonly abovePx: number;
  readonly belowPx: number;
}

export interface Scrolled {
  readonly rows: number;
  readonly rowPx: number;
  /** The height of the part in view. */
  readonly viewPx: number;
  readonly scrollPx: number;
}

/** Returns the window on a list, in constant time. */
export function windowOf(scrolled: Scrolled): VirtualWindow {
  const { rows, rowPx, viewPx } = scrolled;
  const { heightPx, scrollPx } = placeOf(scrolled);
  const top = rowAt(scrolled);
  const inView = Math.ceil(viewPx / rowPx) + 1;
  const around = between(0, Math.floor((ROWS_MAX - inView) / 2), ROWS_AROUND);
  const first = Math.max(0, Math.floor(top) - around);
  const end = Math.min(rows, first + Math.min(ROWS_MAX, inView + 2 * around));
  const abovePx = between(0, scrollPx - (top - first) * rowPx, heightPx - (end - first) * rowPx);
  return { first, end, abovePx, belowPx: heightPx - abovePx - (end - first) * rowPx };
}

/** Returns the height of a list, and the offset without what is beyond its end. */
function placeOf({ rows, rowPx, viewPx, scrollPx }: Scrolled) {
  const heightPx = Math.min(rows * rowPx, HEIGHT_PX_MAX);
  return { heightPx, scrollPx: between(0, scrollPx, Math.max(0, heightPx - viewPx)) };
}

/** Returns the row at the upper edge of the view, with the part of it that is above the edge. */
export function rowAt(scrolled: Scrolled): number {
  const { rows, rowPx, viewPx } = scrolled;
  const { heightPx, scrollPx } = placeOf(scrolled);
  if (rows * rowPx <= HEIGHT_PX_MAX) return scrollPx / rowPx;
  const rest = heightPx - viewPx;
  return rest <= 0 ? 0 : (scrollPx / rest) * (rows - viewPx / rowPx);
}

/** Returns the scroll offset at which a row, or a part of one, is at the upper edge of the view. */
export function offsetOf(row: number, { rows, rowPx, viewPx }: Omit<Scrolled, 'scrollPx'>): number {
  const isWhole = rows * rowPx <= HEIGHT_PX_MAX;
  if (isWhole) return row * rowPx;
  return (row / (rows - viewPx / rowPx)) * (HEIGHT_PX_MAX - viewPx);
}

function between(least: number, value: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
