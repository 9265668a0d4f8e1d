/**
 * The grammar of stored events, and the one place that writes and reads them for every engine.
 *
 * A stored event has six fields: position, version, type, schemaVersion, data and metadata. Data
 * and metadata are texts in canonical JSON (RFC 8785: members sorted by name, no blanks), because
 * the stored bytes are hashed. An int64 is a string in canonical decimal, an instant a string of 24
 * characters in UTC, `?` marks a member that may be absent:
 *
 *   metadata        {"at": instant, "by": text, "commandId": text}
 *   OrderPlaced 2   {"orderId": int64, "petId": int64, "quantity": 1…2^31−1, "shipDate"?: instant}
 *   OrderPlaced 1   the same, with petId as a number up to 2^53 and an absent shipDate as null
 *   OrderShipped 1  {"orderId": int64, "shipDate": instant}
 *   OrderCancelled 2  {"orderId": int64, "reason": one of a closed list}
 *   OrderCancelled 1  {"orderId": int64}, which is still how a cancellation without a reason is written
 *
 * schema.ts declares this for reading, with all older schema versions, which are upcast when they
 * are read. It takes about 20 µs an event, and 250 ms to load. So the folder `fast` reads the
 * current form in half a microsecond, and may be deleted: see fast-path.ts.
 */

import { createRequire } from 'node:module';
import { verifyCanonicalJson } from '../../app/audit/proofs/verifier.ts';
import type { Metadata, RecordedEvent, StoredFields } from '../../app/log/recorded-event.ts';
import { UnreadableEvent } from '../../app/ports/event-log.ts';
import type { OrderEvent } from '../../domain/order.ts';
import { fast } from './fast-path.ts';

/**
 * The form in which each type of event is written: its schema version, and its data with the members
 * in the order of their names. A member that is undefined is not written.
 */
const WRITTEN: {
  readonly [Type in OrderEvent['type']]: {
    readonly schemaVersion: (event: Extract<OrderEvent, { type: Type }>) => number;
    readonly data: (event: Extract<OrderEvent, { type: Type }>) => object;
  };
} = {
  OrderPlaced: {
    schemaVersion: () => 2,
    data: ({ orderId, petId, quantity, shipDate }) => {
      return { orderId: String(orderId), petId: String(petId), quantity, shipDate };
    },
  },
  OrderShipped: {
    schemaVersion: () => 1,
    data: ({ orderId, shipDate }) => ({ orderId: String(orderId), shipDate }),
  },
  OrderCancelled: {
    // So that versions of the service which know no reasons can read all that they could have written.
    schemaVersion: ({ reason }) => (reason === undefined ? 1 : 2),
    data: ({ orderId, reason }) => ({ orderId: String(orderId), reason }),
  },
};

/** An entry of {@link WRITTEN}, for an event of any type. */
interface Written {
  readonly schemaVersion: (event: OrderEvent) => number;
  readonly data: (event: OrderEvent) => object;
}

type EventWithMetadata = Pick<RecordedEvent, 'event' | 'metadata'>;

/** Returns the schema version in which an event is written. */
export function schemaVersionOf(event: OrderEvent): number {
  return (WRITTEN[event.type] as Written).schemaVersion(event);
}

/** Returns the stored text of an event's data. */
export function encodeData(event: OrderEvent): string {
  return JSON.stringify((WRITTEN[event.type] as Written).data(event));
}

/** Returns the stored text of an event's metadata. */
export function encodeMetadata({ at, by, commandId }: Metadata): string {
  return JSON.stringify({ at, by, commandId });
}

/** Returns an event in its stored form. */
export function encode({ position, version, event, metadata }: RecordedEvent): StoredFields {
  return {
    position,
    version,
    type: event.type,
    schemaVersion: schemaVersionOf(event),
    data: encodeData(event),
    metadata: encodeMetadata(metadata),
  };
}

/** Reads a stored event. Throws {@link UnreadableEvent} for an unknown type, version or form. */
export function decode(stored: StoredFields): RecordedEvent {
  return decodeBy(readAny, stored);
}

/**
 * Reads a stored event as {@link decode} does, but throws {@link UnreadableEvent}, too, unless each
 * text is in the one form in which it can have been written: canonical JSON with the members that
 * the service writes. Data of an older schema version must only be canonical, as it has other
 * members.
 */
export function decodeStrictly(stored: StoredFields): RecordedEvent {
  return decodeBy(readWritten, stored);
}

function decodeBy(
  readBySchema: (stored: StoredFields) => EventWithMetadata,
  stored: StoredFields,
): RecordedEvent {
  const { position, version } = stored;
  try {
    const { event, metadata } = fast?.readEvent(stored) ?? readBySchema(stored);
    return { position, version, event, metadata };
  } catch (error) {
    throw new UnreadableEvent(position, (error as Error).message);
  }
}

function readAny({ type, schemaVersion, data, metadata }: StoredFields): EventWithMetadata {
  return {
    event: schema().readEvent(type, schemaVersion, data),
    metadata: schema().readMetadataText(metadata),
  };
}

function readWritten(stored: StoredFields): EventWithMetadata {
  const { event, metadata } = readAny(stored);
  const isOlder = stored.schemaVersion !== schemaVersionOf(event);
  const isWritten =
    (isOlder || encodeData(event) === stored.data) && encodeMetadata(metadata) === stored.metadata;
  const isCanonical = [stored.data, stored.metadata].every((text) => verifyCanonicalJson(text).ok);
  if (!isWritten || !isCanonical)
    throw new Error('its text is not in the one form that it can have');
  return { event, metadata };
}

const require = createRequire(import.meta.url);

function schema(): typeof import('./schema.ts') {
  const extension = import.meta.filename.endsWith('.ts') ? 'ts' : 'js';
  return require(`./schema.${extension}`);
}
