/**
 * The rows of the tables, the same for every engine, and their conversion from and to values of the
 * application. The order of columns is part of each row's type.
 */

import { isDeepStrictEqual } from 'node:util';
import { hasRightTypes, type StoredFields } from '../../app/log/recorded-event.ts';
import type { Decided, Refusal } from '../../app/log/submission.ts';
import { type KeptOutcome, UnreadableEvent } from '../../app/ports/event-log.ts';
import type { StoredRow } from '../../app/ports/evidence.ts';
import type { ApiKey, KeyLimits, Scope } from '../../app/ports/key-store.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Instant } from '../../domain/instant.ts';
import type { OrderId } from '../../domain/order-id.ts';
import { type Column, checksumOf, requireChecksum } from './checksums.ts';

/** The events, or other rows, of a chunk: enough to make a row cheap, too few to block the event loop. */
export const CHUNK_ROWS = 1_000;

export type EventRow = readonly [
  position: number,
  version: number,
  type: string,
  schemaVersion: number,
  data: string,
  metadata: string,
];

/**
 * Returns the events after a position. Throws {@link UnreadableEvent} if one is missing, or has a value
 * of another type than is written.
 */
export function eventsIn(rows: readonly EventRow[], after: number): StoredFields[] {
  return rows.map(([position, version, type, schemaVersion, data, metadata], index) => {
    const due = after + 1 + index;
    if (position !== due) throw new UnreadableEvent(due, 'it is missing');
    const event = { position, version, type, schemaVersion, data, metadata };
    if (!hasRightTypes(event))
      throw new UnreadableEvent(due, 'a column has a value of another type');
    return event;
  });
}

/** A row of events as a check reads it. An order's id beyond 2^53 is a text. */
export type CheckedRow = readonly [
  position: number,
  orderId: number | string,
  version: number,
  type: string,
  schemaVersion: number,
  data: string,
  metadata: string,
];

/** Returns the fields of a row of events by name. */
export function storedRowIn(row: CheckedRow): StoredRow {
  const [position, orderId, version, type, schemaVersion, data, metadata] = row;
  return { position, orderId, version, type, schemaVersion, data, metadata };
}

/** The columns of an API key in its own table. */
export type KeyColumns = readonly [
  id: string,
  name: string,
  hash: Buffer,
  scopes: string,
  createdAt: Instant,
  expiresAt: Instant | null,
  revokedAt: Instant | null,
  checksum: Buffer,
  ...limits: LimitColumns,
];

/**
 * An API key as it is read. `isAsLastChanged` is true, or 1, if its checksums are those of its last
 * change (table key_changes), and none of its changes was a revocation that the row lacks: a row that
 * a disk has failed to write, or that was added anew, matches its own checksum.
 */
export type KeyRow = readonly [
  ...KeyColumns,
  isAsLastChanged: boolean | 0 | 1 | null,
  number: number,
];

/**
 * The limits of an API key have a checksum of their own: a key without limits has the row that it
 * had before there were any, and an older version that is still running does not take limits for
 * damage.
 */
export type LimitColumns = readonly [limits: string | null, checksum: Buffer | null];

/**
 * Returns the API key in a row. Throws {@link DamagedStore} unless its checksums match and it is as
 * it was last changed.
 */
export function keyIn(row: KeyRow): ApiKey {
  const [id, name, hash, scopes, createdAt, expiresAt, revokedAt, checksum, ...more] = row;
  const [limits, checksumOfLimits, isAsLastChanged] = more;
  requireChecksum('api_keys', row.slice(0, 7) as Column[], checksum);
  const ofLimits = limitsIn(id, [limits, checksumOfLimits]);
  if (!isAsLastChanged) {
    throw new DamagedStore(
      `the row ${JSON.stringify(id)} of api_keys is not as it was last changed`,
    );
  }
  return {
    id,
    name,
    hash,
    scopes: scopes.split(' ').filter(Boolean) as Scope[],
    createdAt,
    ...(expiresAt === null ? {} : { expiresAt }),
    ...(revokedAt === null ? {} : { revokedAt }),
    ...ofLimits,
  };
}

/** A change of an API key: the checksums that its row has had since. */
export type KeyChangeRow = readonly [id: string, checksum: Buffer, limitsChecksum: Buffer | null];

/**
 * Throws {@link DamagedStore} for a change that no version has recorded: of a key, only the revocation
 * and the limits change. The limits of the past are unknown.
 * @param key As of its changes, or of later.
 */
export function requirePossible(changes: readonly KeyChangeRow[], key: ApiKey): void {
  const checksums = checksumsOf(key);
  for (const [id, checksum, ofLimits] of changes) {
    const isOfKey = checksums.some((each) => each.equals(checksum));
    if (isOfKey && (ofLimits === null || ofLimits.length === checksum.length)) continue;
    throw new DamagedStore(`a change of the key ${JSON.stringify(id)} is not as it was recorded`);
  }
}

/** Returns the checksums that the row of a key may have had. */
function checksumsOf(key: ApiKey): readonly Buffer[] {
  const { revokedAt, ...unrevoked } = key;
  const all = revokedAt === undefined ? [key] : [key, unrevoked];
  return all.map((each) => keyRow(each)[7]);
}

function limitsIn(id: string, [text, checksum]: LimitColumns): Pick<ApiKey, 'limits'> {
  if (text === null && checksum === null) return {};
  requireChecksum('key_limits', [id, text], checksum);
  const limits = JSON.parse(text ?? '{}') as KeyLimits;
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** Returns the row of an API key, with its checksum. */
export function keyRow({ id, name, hash, scopes, createdAt, ...more }: ApiKey): KeyColumns {
  const { expiresAt = null, revokedAt = null, limits } = more;
  const columns = [
    id,
    name,
    Buffer.from(hash),
    scopes.join(' '),
    createdAt,
    expiresAt,
    revokedAt,
  ] as const;
  const ofLimits = limits === undefined ? ([null, null] as const) : limitColumns(id, limits);
  return [...columns, checksumOf('api_keys', columns), ...ofLimits];
}

/** Returns the columns of the limits of the API key with an id, with their checksum. */
function limitColumns(id: string, limits: KeyLimits): LimitColumns {
  const text = JSON.stringify(limits);
  return [text, checksumOf('key_limits', [id, text])];
}

/** Returns the values of the statement that revokes the key in a row, unless there is none in force. */
export function revocationOf(row: KeyRow | undefined, at: Instant) {
  if (row === undefined) return undefined;
  const key = keyIn(row);
  if (key.revokedAt !== undefined) return undefined;
  const [id, , , , , , , checksum] = row;
  // If another process revokes the key first, its checksum differs and nothing is updated.
  return [at, keyRow({ ...key, revokedAt: at })[7], id, checksum] as const;
}

/** Returns the values of the statement that limits the key in a row, unless its limits are others than `before`. */
export function limitingOf(row: KeyRow | undefined, limits: KeyLimits, before?: KeyLimits) {
  if (row === undefined) return undefined;
  const { id, limits: present = {} } = keyIn(row);
  const isAny = before === undefined;
  if (!isAny && !isDeepStrictEqual(present, before)) return undefined;
  // If another process limits the key first, its checksum differs and nothing is updated.
  return [...limitColumns(id, limits), id, Number(isAny), row[9]] as const;
}

/** A row of kept outcomes. Either all integers are bigints, or the order's id alone is one. */
export type KeptRow = readonly [
  by: string,
  key: string,
  fingerprint: string,
  orderId: bigint | null,
  version: number | bigint | null,
  refusal: Refusal | null,
  checksum: Buffer,
];

/** Returns the kept outcome in a row. Throws {@link DamagedStore} unless its checksum matches. */
export function keptIn(row: KeptRow): KeptOutcome {
  const [by, key, fingerprint, orderId, version, refusal, checksum] = row;
  requireChecksum('kept_outcomes', row.slice(0, -1), checksum);
  const decided: Decided =
    refusal === null
      ? { kind: 'accepted', orderId: orderId as OrderId, version: Number(version) }
      : { kind: 'rejected', reason: refusal };
  return { by, key, fingerprint, decided };
}

/** Returns the row of a kept outcome, with its checksum. */
export function keptRow({ by, key, fingerprint, decided }: KeptOutcome): KeptRow {
  const outcome =
    decided.kind === 'accepted'
      ? ([decided.orderId, decided.version, null] as const)
      : ([null, null, decided.reason] as const);
  const columns = [by, key, fingerprint, ...outcome] as const;
  return [...columns, checksumOf('kept_outcomes', columns)];
}
