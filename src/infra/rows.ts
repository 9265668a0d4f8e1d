import type { ApiKey, Scope } from '../app/api-key.ts';
import type { StoredRow } from '../app/audit/event-rules.ts';
import { type KeptOutcome, UnreadableEvent } from '../app/ports/event-log.ts';
import type { Decided, Refusal } from '../app/submission.ts';
import type { Instant } from '../domain/instant.ts';
import type { OrderId } from '../domain/order-id.ts';
import { checksumOf, requireChecksum } from './checksums.ts';
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
  checksum: Buffer,
];

/** Throws {@link DamagedStore} where a row is not as it was recorded. */
export function keyIn(row: KeyRow): ApiKey {
  const [id, name, hash, scopes, createdAt, expiresAt, revokedAt, checksum] = row;
  requireChecksum('api_keys', row.slice(0, -1), checksum);
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
  const columns = [
    id,
    name,
    Buffer.from(hash),
    scopes.join(' '),
    createdAt,
    expiresAt,
    revokedAt,
  ] as const;
  return [...columns, checksumOf('api_keys', columns)];
}

/** A kept outcome. Every whole number is a bigint, or every one but an order's id is a number. */
export type KeptRow = readonly [
  by: string,
  key: string,
  fingerprint: string,
  orderId: bigint | null,
  version: number | bigint | null,
  refusal: Refusal | null,
  checksum: Buffer,
];

/** Throws {@link DamagedStore} where a row is not as it was recorded. */
export function keptIn(row: KeptRow): KeptOutcome {
  const [by, key, fingerprint, orderId, version, refusal, checksum] = row;
  requireChecksum('kept_outcomes', row.slice(0, -1), checksum);
  const decided = decidedIn([orderId, version === null ? null : Number(version), refusal]);
  return { by, key, fingerprint, decided };
}

export function keptRow({ by, key, fingerprint, decided }: KeptOutcome): KeptRow {
  const columns = [by, key, fingerprint, ...decidedRow(decided)] as const;
  return [...columns, checksumOf('kept_outcomes', columns)];
}

type DecidedRow = readonly [
  orderId: bigint | null,
  version: number | null,
  refusal: Refusal | null,
];

function decidedIn([orderId, version, refusal]: DecidedRow): Decided {
  return refusal === null
    ? { kind: 'accepted', orderId: orderId as OrderId, version: version as number }
    : { kind: 'rejected', reason: refusal };
}

function decidedRow(decided: Decided): DecidedRow {
  return decided.kind === 'accepted'
    ? [decided.orderId, decided.version, null]
    : [null, null, decided.reason];
}
