import { type OrderStatus, versionAfter } from '../../domain/order-lives.ts';
import { type ImageColumns, placedPosition, statusOf } from './image-columns.ts';

interface EventsOfOrder {
  /** Ascending. */
  readonly positions: readonly number[];
  readonly status: OrderStatus;
}

/**
 * Returns the positions of an order's events from the columns of an image, by the law of
 * {@link MAX_EVENTS_PER_ORDER}: the one that placed it, and the one that ended it, if it has ended.
 */
export function eventsAt(slot: number, columns: ImageColumns): EventsOfOrder {
  const status = statusOf(columns.statuses.get(slot));
  const all = [placedPosition(columns, slot), columns.endPositions.get(slot)];
  return { positions: all.slice(0, versionAfter(status)), status };
}
