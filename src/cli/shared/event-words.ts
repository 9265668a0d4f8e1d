/** An event in words: in a line of a played log, and in the statement of a receipt. */

import type { OrderCancelled, OrderEvent } from '../../domain/order.ts';

/** Returns what an event did, for a line of a played log. */
export function playedWords(event: OrderEvent): string {
  switch (event.type) {
    case 'OrderPlaced': {
      const { petId, quantity, shipDate } = event;
      const expected = shipDate === undefined ? '' : `, to ship ${shipDate}`;
      return `placed: ${quantity} of pet ${petId}${expected}`;
    }
    case 'OrderShipped':
      return `shipped ${event.shipDate}`;
    case 'OrderCancelled':
      return `cancelled${reasonIn(event)}`;
  }
}

/**
 * Returns what became of an order by an event, for a receipt.
 * @param recorded The time at which it was recorded, and by whom, in words.
 */
export function receiptWords(event: OrderEvent, recorded: string): string {
  switch (event.type) {
    case 'OrderPlaced':
      return `placed ${recorded}: pet ${event.petId}, quantity ${event.quantity}`;
    case 'OrderShipped':
      return `shipped, with the ship date ${event.shipDate}, as recorded ${recorded}`;
    case 'OrderCancelled':
      return `cancelled${reasonIn(event)} ${recorded}`;
  }
}

function reasonIn({ reason }: OrderCancelled): string {
  return reason === undefined ? '' : ` (${reason})`;
}
