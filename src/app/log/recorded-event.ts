/**
 * Events with their metadata: on their way into the log, recorded, stored, and as folds read them.
 */

import { type Instant, millisecondsOf } from '../../domain/instant.ts';
import {
  type CancelReason,
  COMMAND_TYPES,
  type OrderCancelled,
  type OrderEvent,
  type OrderPlaced,
} from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';

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
  /**
   * The place of its command in the trace of a client: stored beside the event, and no part of the
   * record that is hashed. Absent in events that are read: see {@link Trail.traces}.
   */
  readonly traceparent?: string;
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

/** Returns the traces of those events that have one, by position. */
export function tracesOf(events: readonly RecordedEvent[]): ReadonlyMap<number, string> {
  const traces = new Map<number, string>();
  for (const { position, traceparent } of events) {
    if (traceparent !== undefined) traces.set(position, traceparent);
  }
  return traces;
}

/** Returns the highest id of an order among events, at least 0. */
export function highestIdIn(events: readonly RecordedEvent[]): bigint {
  return highestOf(events.map(({ event }) => event.orderId));
}

/** Returns the highest of some ids, at least 0. */
export function highestOf(ids: readonly bigint[]): bigint {
  return ids.reduce((one, other) => (one > other ? one : other), 0n);
}

/** An event as an engine stores it. */
export interface StoredFields {
  readonly position: number;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  /** Canonical JSON (RFC 8785), as is the metadata. */
  readonly data: string;
  readonly metadata: string;
}

/**
 * Returns true if the fields of a stored event, other than its position, have their types: a damaged or
 * altered table may have others. Of texts and numbers alone, no two have the same record.
 */
export function hasRightTypes(event: StoredFields): boolean {
  const { version, type, schemaVersion, data, metadata } = event;
  return (
    [version, schemaVersion].every(Number.isSafeInteger) &&
    [type, data, metadata].every((text) => typeof text === 'string')
  );
}

/** The largest record, in bytes: an entry bundle of C2SP tlog-tiles has its length in 16 bits. */
export const MAX_RECORD_BYTES = 65_535;

/**
 * Returns an event's record: all its stored fields in one text, which is the data of its leaf in
 * the log's Merkle tree. It contains the stored texts to the byte, and its members are sorted by
 * name, so that the record is canonical JSON as well.
 */
export function recordOf(event: StoredFields): string {
  const { position, version, type, schemaVersion, data, metadata } = event;
  return (
    `{"data":${data},"metadata":${metadata},"position":${position}` +
    `,"schemaVersion":${schemaVersion},"type":${JSON.stringify(type)},"version":${version}}`
  );
}

/** Returns the stored fields from an event's record; `undefined` for a text that is no record. */
export function fieldsOf(record: string): StoredFields | undefined {
  try {
    const { data, metadata, ...others } = Object(JSON.parse(record));
    // A record is canonical JSON, so its parts are written again as they were.
    const fields = { ...others, data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    return recordOf(fields) === record ? fields : undefined;
  } catch {
    return undefined;
  }
}

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
  /** Milliseconds since 1970; NaN if there is no date. */
  readonly shipDate: number;
  /** Of an `OrderCancelled` that has one. */
  readonly reason: CancelReason | undefined;
  /** The time at which the event was recorded: milliseconds since 1970. */
  readonly at: number;
}

const NO_PET = 0n as PetId;

/** The members of all events. */
type AnyEvent = Omit<OrderPlaced, 'type'> & Omit<OrderCancelled, 'type'>;

/** Returns the part of a recorded event that a fold takes in. */
export function foldInputOf({ position, version, event, metadata }: RecordedEvent): FoldInput {
  const { petId = NO_PET, quantity = 0, shipDate, reason }: Partial<AnyEvent> = event;
  return {
    position,
    version,
    type: event.type,
    orderId: event.orderId,
    at: millisecondsOf(metadata.at),
    petId,
    quantity,
    shipDate: shipDate === undefined ? NaN : millisecondsOf(shipDate),
    reason,
  };
}

/** Throws an Error unless a position is the next one. */
export function requireNext(position: number, last: number): void {
  if (position === last + 1) return;
  throw new Error(`position ${position} does not follow position ${last}`);
}

/** Thrown for an event that no service can have recorded: its order's earlier events forbid it. */
export class ImpossibleEvent extends Error {
  override readonly name = 'ImpossibleEvent';

  constructor(position: number, reason: string) {
    super(`event at position ${position} cannot have been recorded: ${reason}`);
  }
}
