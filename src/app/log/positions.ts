/** The range of the positions of events. */

/**
 * The highest position, 2^51 - 1: what the columns of an image hold (docs/adr/0054). At a million events a
 * second, a log reaches it in 71 years.
 */
export const MAX_POSITION = 2 ** 51 - 1;

/** The pattern of a position, or 0 for that before the first event: no log has one of more digits. */
export const POSITION_PATTERN = `(?:0|[1-9]\\d{0,${String(MAX_POSITION).length - 1}})`;

/** The pattern of an epoch: its id, or the tag that shortens the hash in it. */
export const EPOCH_PATTERN = '(?:0|[1-9]\\d{0,8}\\.[0-9a-f]{8}(?:[0-9a-f]{24})?)';

/** A position, which may be preceded by its epoch and a colon. */
export const PLACE = new RegExp(`^(?:(${EPOCH_PATTERN}):)?(${POSITION_PATTERN})$`);
