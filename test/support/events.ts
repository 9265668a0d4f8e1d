import type { NewEvent, RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { EventLogReader } from '../../src/app/ports/event-log.ts';
import type { Instant } from '../../src/domain/instant.ts';
import type {
  CancelReason,
  OrderCancelled,
  OrderEvent,
  OrderPlaced,
  OrderShipped,
} from '../../src/domain/order.ts';
import type { OrderId, PetId } from '../../src/domain/order-id.ts';

export const NOON = '2026-01-01T12:00:00.000Z' as Instant;
export const LATER = '2026-01-01T13:00:00.000Z' as Instant;

export function placed(id: bigint, more: Partial<OrderPlaced> = {}): OrderPlaced {
  return { type: 'OrderPlaced', orderId: id as OrderId, petId: 7n as PetId, quantity: 1, ...more };
}

export function shipped(id: bigint, shipDate = NOON): OrderShipped {
  return { type: 'OrderShipped', orderId: id as OrderId, shipDate };
}

export function cancelled(id: bigint, reason?: CancelReason): OrderCancelled {
  const event = { type: 'OrderCancelled', orderId: id as OrderId } as const;
  return reason === undefined ? event : { ...event, reason };
}

export const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

/** Returns the event in the form in which it is appended. */
export function newEvent(event: OrderEvent, version = 1): NewEvent {
  return { event, version, metadata: { at: NOON, by: 'test', commandId: 'c-1' } };
}

/** Returns events as a log would record them, from position 1. */
export function recorded(...events: readonly OrderEvent[]): RecordedEvent[] {
  const versions = new Map<bigint, number>();
  return events.map((event, index) => {
    const version = (versions.get(event.orderId) ?? 0) + 1;
    versions.set(event.orderId, version);
    return { position: index + 1, ...newEvent(event, version) };
  });
}

/** Returns the same, with one second between events. */
export function secondsApart(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((event) => {
    const at = new Date(Date.parse(NOON) + 1_000 * event.position).toISOString() as Instant;
    return { ...event, metadata: { ...event.metadata, at } };
  });
}

/** Returns all events of a log after a position. */
export async function readAll(log: EventLogReader, after = 0): Promise<RecordedEvent[]> {
  return (await Array.fromAsync(log.read(after))).flat();
}
