/** Moments of the log, and their positions. */
import { type Instant, millisecondsOf, parseInstant } from '../../domain/instant.ts';
import { CLOCKS } from '../clock.ts';
import { POSITION_PATTERN } from '../log/positions.ts';
import type { OrderList } from '../state/order-list.ts';

/** A moment of the log: after so many events, or at a time. */
export type Moment = number | Instant;

const POSITION = new RegExp(`^${POSITION_PATTERN}$`);

/** Parses a position, or a date-time of RFC 3339. Returns `undefined` for any other text. */
export function parseMoment(text: string): Moment | undefined {
  return POSITION.test(text) ? Number(text) : parseInstant(text);
}

/**
 * Returns the position of the last event at or before a moment; `undefined` for a moment that has
 * not come, because events may still precede it.
 *
 * Until a time is over, or while no later event is recorded, one more event may be recorded at it,
 * so that its position grows. The meaning of a position never changes.
 */
export function positionAt(list: OrderList<unknown>, moment: Moment): number | undefined {
  if (typeof moment === 'number') return moment > list.position ? undefined : moment;
  const position = list.positionAt(moment);
  // The clock may have been set back since the last event was recorded.
  const isOver = position < list.position || isPast(moment) || list.lastAt === moment;
  return isOver ? position : undefined;
}

function isPast(moment: Instant): boolean {
  return millisecondsOf(moment) <= CLOCKS.wall();
}
