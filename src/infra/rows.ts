import type { ApiKey, Scope } from '../app/api-key.ts';
import type { StoredRow } from '../app/audit/event-rules.ts';
import { UnreadableEvent } from '../app/ports/event-log.ts';
import type { Decided, Refusal } from '../app/submission.ts';
import type { Instant } from '../domain/instant.ts';
import type { OrderId } from '../domain/order-id.ts';
import type { StoredEvent } from './event-codec.ts';

/** What the rows of the tables say, in whichever engine. The order of columns is part of each type. */

export type EventRow = readonly [
  position: number,
  version: number,
  type: string,
  schemaVersion: number,
  data: string,
  metadata: string,
];

/** The events after a position. Throws {@link UnreadableEvent} where one is missing. */
export function eventsIn(rows: readonly EventRow[], after: number): StoredEvent[] {
  return rows.map(([position, version, type, schemaVersion, data, metadata], index) => {
    const due = after + 1 + index;
    if (position !== due) throw new UnreadableEvent(due, 'it is missing');
    return { position, version, type, schemaVersion, data, metadata };
  });
}

/** A row of events that is to be checked. An order's id beyond 2^53 is a text. */
export type CheckedRow = readonly [
  position: number,
  orderId: number | string,
  version: number,
  type: string,
  schemaVersion: number,
  data: string,
  metadata: string,
];

export function storedRowIn([
  position,
  orderId,
  version,
  type,
  schemaVersion,
  data,
  metadata,
]: CheckedRow): StoredRow {
  return { position, orderId, version, type, schemaVersion, data, metadata };
}

export type KeyRow = readonly [
  id: string,
  name: string,
  hash: Buffer,
  scopes: string,
  createdAt: Instant,
  expiresAt: Instant | null,
  revokedAt: Instant | null,
];

export function keyIn([id, name, hash, scopes, createdAt, expiresAt, revokedAt]: KeyRow): ApiKey {
  return {
    id,
    name,
    hash,
    scopes: scopes.split(' ').filter(Boolean) as Scope[],
    createdAt,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
  };
}

export function keyRow({ id, name, hash, scopes, createdAt, ...more }: ApiKey): KeyRow {
  const { expiresAt = null, revokedAt = null } = more;
  return [id, name, hash, scopes.join(' '), createdAt, expiresAt, revokedAt];
}

export type DecidedRow = readonly [
  orderId: bigint | null,
  version: number | null,
  refusal: Refusal | null,
];

export function decidedIn([orderId, version, refusal]: DecidedRow): Decided {
  return refusal === null
    ? { kind: 'accepted', orderId: orderId as OrderId, version: version as number }
    : { kind: 'rejected', reason: refusal };
}

export function decidedRow(decided: Decided): DecidedRow {
  return decided.kind === 'accepted'
    ? [decided.orderId, decided.version, null]
    : [null, null, decided.reason];
}
