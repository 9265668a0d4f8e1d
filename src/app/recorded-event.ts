import type { Instant } from '../domain/instant.ts';
import type { OrderEvent } from '../domain/order.ts';

/** Every type that an event can have. */
export const EVENT_TYPES = [
  'OrderPlaced',
  'OrderShipped',
  'OrderCancelled',
] as const satisfies OrderEvent['type'][];

/** Who did it, when, and with which request. */
export interface Metadata {
  /** When it was recorded. Never earlier than the event before it, whatever the clock did. */
  readonly at: Instant;
  /** The id of the API key that asked for it, or the name of the command line tool that did. */
  readonly by: string;
  /** The id of the command that led to it: for HTTP, the request id of the log line. */
  readonly commandId: string;
}

/** An event that is on its way into the log. */
export interface NewEvent {
  readonly event: OrderEvent;
  /** How many events its order has with this one: 1 for the first. */
  readonly version: number;
  readonly metadata: Metadata;
}

/** An event that the log holds, for ever. */
export interface RecordedEvent extends NewEvent {
  /** Its place in the whole log: dense, from 1. */
  readonly position: number;
}
