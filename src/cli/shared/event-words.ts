/** An event in words: as a line of a log, and in the statement of a receipt. */

import type { OrderEvent } from '../../domain/order.ts';
import { onOneLine } from './print.ts';

/** The data of each type of event, as in the domain and with the ids as texts, as in the API. */
type EventData = {
  [Event in OrderEvent as Event['type']]: {
    [Key in keyof Event as Exclude<Key, 'type'>]: Event[Key] | string;
  };
};

const LINE_WORDS: { [Type in keyof EventData]: (data: EventData[Type]) => string } = {
  OrderPlaced: ({ petId, quantity, shipDate }) =>
    `placed: ${quantity} of pet ${petId}${shipDate === undefined ? '' : `, to ship ${shipDate}`}`,
  OrderShipped: ({ shipDate }) => `shipped ${shipDate}`,
  OrderCancelled: (data) => `cancelled${reasonIn(data)}`,
};

/** Returns an event as a line without its end. Nothing in it controls a terminal. */
export function eventLine<Type extends keyof EventData>(
  position: number,
  time: string,
  by: string,
  type: Type,
  data: EventData[Type],
): string {
  const words = `order ${data.orderId} ${LINE_WORDS[type](data)}, by ${by}`;
  return onOneLine(`${String(position).padStart(8)}  ${time}  ${words}`);
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

function reasonIn({ reason }: EventData['OrderCancelled']): string {
  return reason === undefined ? '' : ` (${reason})`;
}
