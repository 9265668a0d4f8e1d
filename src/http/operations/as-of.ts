/** The moment of the log that a request asks for in `asOf`. */
import type { Epochs, Place } from '../../app/log/epochs.ts';
import { type Moment, positionAt } from '../../app/read/moment.ts';
import type { OrderList } from '../../app/state/order-list.ts';
import type { Instant } from '../../domain/instant.ts';
import { ApiError } from '../api-error.ts';
import { positionOf } from '../requests/parameters.ts';

/** Returns the moment of `asOf`. Throws a 400 for a position that was lost or is ambiguous. */
export function momentOf(asked: Instant | Place | undefined, epochs: Epochs): Moment | undefined {
  return typeof asked === 'object' ? positionOf(epochs, 'asOf', asked) : asked;
}

/**
 * Returns the position of a moment. Throws a 400 for one that has not come.
 * @param earlier The position that the same moment was before, in an earlier request.
 */
export function positionOfMoment(
  list: OrderList<unknown>,
  asked: Moment,
  earlier?: number,
): number {
  const position = positionAt(list, earlier ?? asked);
  if (position !== undefined) return position;
  const reason =
    typeof asked === 'number' || earlier !== undefined
      ? `the log ends at position ${list.position}`
      : 'it is in the future';
  throw new ApiError('invalid_request', `asOf: ${reason}`);
}
