import { type Instant, millisecondsOf } from '../domain/instant.ts';
import type { OrderEvent } from '../domain/order.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** What a fold takes in of an event. Times are numbers, so that folding a log makes no texts. */
export interface EventFacts {
  readonly position: number;
  readonly version: number;
  readonly type: OrderEvent['type'];
  readonly orderId: OrderId;
  /** Of an `OrderPlaced`; otherwise without a meaning. */
  readonly petId: PetId;
  readonly quantity: number;
  /** Milliseconds since 1970; NaN where there is no date. */
  readonly shipDate: number;
  /** When it was recorded: milliseconds since 1970. */
  readonly at: number;
}

export function factsOf({ position, version, event, metadata }: RecordedEvent): EventFacts {
  const { type, orderId } = event;
  const of = { position, version, type, orderId, at: millisecondsOf(metadata.at) };
  switch (type) {
    case 'OrderPlaced':
      return { ...of, petId: event.petId, quantity: event.quantity, shipDate: ms(event.shipDate) };
    case 'OrderShipped':
      return { ...of, ...NOT_PLACED, shipDate: ms(event.shipDate) };
    case 'OrderCancelled':
      return { ...of, ...NOT_PLACED, shipDate: NaN };
  }
}

const NOT_PLACED = { petId: 0n as PetId, quantity: 0 };

function ms(date: Instant | undefined): number {
  return date === undefined ? NaN : millisecondsOf(date);
}
