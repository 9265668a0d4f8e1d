/** The input of the folds of the log: the part of each event that they take in. */

import { millisecondsOf } from '../../domain/instant.ts';
import type { OrderEvent, OrderPlaced } from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * An event without its author and its command's id, and with times as numbers, so that folding a
 * log allocates no strings.
 */
export interface FoldInput {
  readonly position: number;
  readonly version: number;
  readonly type: OrderEvent['type'];
  readonly orderId: OrderId;
  /** Of an `OrderPlaced`; 0 otherwise. */
  readonly petId: PetId;
  /** Of an `OrderPlaced`; 0 otherwise. */
  readonly quantity: number;
  /** Milliseconds since 1970; NaN where there is no date. */
  readonly shipDate: number;
  /** The time at which the event was recorded: milliseconds since 1970. */
  readonly at: number;
}

const NO_PET = 0n as PetId;

/** Returns the part of a recorded event that a fold takes in. */
export function foldInputOf({ position, version, event, metadata }: RecordedEvent): FoldInput {
  const { petId = NO_PET, quantity = 0, shipDate }: Partial<Omit<OrderPlaced, 'type'>> = event;
  return {
    position,
    version,
    type: event.type,
    orderId: event.orderId,
    at: millisecondsOf(metadata.at),
    petId,
    quantity,
    shipDate: shipDate === undefined ? NaN : millisecondsOf(shipDate),
  };
}
