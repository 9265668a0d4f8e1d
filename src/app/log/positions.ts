/** The range of the positions of events. */

/**
 * The highest position, 2^51 - 1: what the columns of an image hold (docs/adr/0054). At a million events a
 * second, a log reaches it in 71 years.
 */
export const MAX_POSITION = 2 ** 51 - 1;

/** The most digits of a position. */
export const MAX_POSITION_DIGITS = String(MAX_POSITION).length;
