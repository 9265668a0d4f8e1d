import type { DecodeStrictly } from '../app/audit/event-rules.ts';
import { UnreadableEvent } from '../app/ports/event-log.ts';
import type { RecordedEvent } from '../app/recorded-event.ts';
import type { OrderEvent } from '../domain/order.ts';

/** What a receipt says, once it is known to be genuine. */
export interface Said {
  /** The id of the order. */
  readonly order: string;
  readonly event: OrderEvent['type'];
  readonly at: string;
  readonly by: string;
  readonly commandId: string;
  /** All of it in a sentence, without what begins and ends one. */
  readonly words: string;
}

/** What no receipt shows. */
export const NOT_SHOWN =
  "It does not show what else happened to the order, before or after, who held the key, nor that the service's clock was right.";

/**
 * What the record in a genuine receipt says; `undefined` where it is in a form that this version
 * does not know.
 */
export function saidBy(record: string, decode: DecodeStrictly): Said | undefined {
  // It is canonical JSON, so its parts are written again as they were.
  const { data, metadata, ...others } = JSON.parse(record);
  try {
    const stored = { ...others, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    return inWords(decode(stored));
  } catch (error) {
    if (error instanceof UnreadableEvent) return undefined;
    throw error;
  }
}

function inWords({ event, metadata: { at, by, commandId } }: RecordedEvent): Said {
  const order = String(event.orderId);
  const [day, time = ''] = at.split('T');
  const recorded = `on ${day} at ${time.replace('Z', ' UTC')}, by ${authorOf(by)}`;
  const words = `order ${order} was ${happened(event, recorded)}`;
  return { order, event: event.type, at, by, commandId, words };
}

function happened(event: OrderEvent, recorded: string): string {
  switch (event.type) {
    case 'OrderPlaced':
      return `placed ${recorded}: pet ${event.petId}, quantity ${event.quantity}`;
    case 'OrderShipped':
      return `shipped, with the ship date ${event.shipDate}, as recorded ${recorded}`;
    case 'OrderCancelled':
      return `cancelled ${recorded}`;
  }
}

/** The id of a key, or the name of a tool, in quotes where a terminal might take it for more. */
function authorOf(by: string): string {
  if (/^[0-9A-Za-z]{10}$/.test(by)) return `the API key ${by}`;
  return /^[\w.-]+$/.test(by) ? by : JSON.stringify(by.replaceAll(/\p{C}/gu, '?'));
}
