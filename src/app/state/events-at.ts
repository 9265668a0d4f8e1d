import { MAX_EVENTS_PER_ORDER } from '../../domain/order.ts';
import type { PackedImage } from '../log/packed-fold.ts';
import { type OrderStatus, STATUSES } from './order-image.ts';

interface EventsOfOrder {
  /** Ascending. */
  readonly positions: readonly number[];
  readonly status: OrderStatus;
}

/**
 * Returns the positions of an order's events from the columns of an image, by the law of
 * {@link MAX_EVENTS_PER_ORDER}: the one that placed it, and the one that ended it, if it has ended.
 */
export function eventsAt(
  slot: number,
  { statuses, placedPositions, lastPositions }: PackedImage['columns'],
): EventsOfOrder {
  const status = STATUSES[statuses[slot] as number] as OrderStatus;
  const all = [placedPositions[slot] as number, lastPositions[slot] as number];
  return { positions: all.slice(0, status === 'pending' ? 1 : MAX_EVENTS_PER_ORDER), status };
}
