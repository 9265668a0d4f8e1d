/** Events with their metadata: on their way into the log, and in it. */

import type { Instant } from '../../domain/instant.ts';
import { COMMAND_TYPES, type OrderEvent } from '../../domain/order.ts';

/** Every type that an event can have. */
export const EVENT_TYPES = Object.keys(COMMAND_TYPES) as [
  OrderEvent['type'],
  ...OrderEvent['type'][],
];

/** The time, the author and the request of an event. */
export interface Metadata {
  /** The time of recording, never earlier than that of the event before, whatever the clock did. */
  readonly at: Instant;
  /** The id of the API key that requested it, or the name of the command line tool that did. */
  readonly by: string;
  /** The id of the command that led to it: for HTTP, the request id of the log line. */
  readonly commandId: string;
}

/** An event that is on its way into the log. */
export interface NewEvent {
  readonly event: OrderEvent;
  /** The number of events of its order, this one included: 1 for the first. */
  readonly version: number;
  readonly metadata: Metadata;
}

/** An event that the log holds, for ever. */
export interface RecordedEvent extends NewEvent {
  /** Its place in the whole log: dense, from 1. */
  readonly position: number;
}

/** Returns events with their positions in a log that ended at `head` before them. */
export function recordedBehind(head: number, events: readonly NewEvent[]): RecordedEvent[] {
  return events.map((event, index) => ({ position: head + 1 + index, ...event }));
}
