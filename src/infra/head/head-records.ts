/**
 * The records of a head file. It has two, of text that a person can read: "head 2 <store> <epoch>
 * <position> <root> <reached> <highest id> <digest of all that>". Format 1 had neither epochs nor the
 * highest position reached.
 */

import { hash } from 'node:crypto';
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { epochNumberOf, FIRST_EPOCH } from '../../app/log/epochs.ts';
import { highestOf } from '../../app/log/recorded-event.ts';

/** Stands for an unknown root. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** The size of a record, in bytes: one sector, which a disk writes atomically. */
export const RECORD_BYTES = 512;
export const RECORDS = 2;

/** The records of a file; `undefined` for one that is invalid. */
export type Records = readonly (AcknowledgedHead | undefined)[];

/** Returns true if one is of a later epoch than the other, or further on in the same one. */
export function isAhead(
  one: AcknowledgedHead | undefined,
  other: AcknowledgedHead | undefined,
): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (one.epoch === other.epoch) return one.position > other.position;
  const epochs = epochNumberOf(one.epoch) - epochNumberOf(other.epoch);
  return epochs === 0 ? one.position > other.position : epochs > 0;
}

/**
 * Returns the highest id in both records and a given one. The older record can have it: a process may
 * note a head late, when another has noted a newer one. Records of older versions lack the ids,
 * so they are unknown.
 */
export function highestIdIn(records: Records, given = 0n): bigint | undefined {
  const ids = records.filter((record) => record !== undefined).map(({ highestId }) => highestId);
  const known = ids.filter((id) => id !== undefined);
  return known.length < ids.length ? undefined : highestOf([given, ...known]);
}

/** Returns the record that is ahead of the other. */
export function latestOf([first, second]: Records): AcknowledgedHead | undefined {
  return isAhead(first, second) ? first : second;
}

export function recordsIn(bytes: Buffer): Records {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

const FORM_1 =
  /^(?<text>head 1 (?<storeId>[0-9a-f]{16}) (?<position>\d{16}) (?<root>[0-9a-f]{64})) (?<digest>[0-9a-f]{16})\s*$/;
const FORM_2 =
  /^(?<text>head 2 (?<storeId>[0-9a-f]{16}) (?<epoch>\S{1,48}) (?<position>\d{16}) (?<root>[0-9a-f]{64}) (?<reached>\d{16}) (?<highestId>\d{1,19}|-)) (?<digest>[0-9a-f]{16})\s*$/;

/** Returns a record as bytes. */
export function encode({
  storeId,
  epoch,
  position,
  root,
  reached,
  highestId,
}: AcknowledgedHead): Buffer {
  const text = `head 2 ${storeId} ${epoch} ${padded(position)} ${root ?? UNKNOWN_ROOT} ${padded(reached)} ${highestId ?? '-'}`;
  return sealed(text);
}

/** Returns a record with its digest, in a sector. */
export function sealed(text: string): Buffer {
  return Buffer.from(`${text} ${digestOf(text)}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

function padded(position: number): string {
  return String(position).padStart(16, '0');
}

/** Parses a record; returns `undefined` if it is invalid. */
export function decode(bytes: Buffer): AcknowledgedHead | undefined {
  const record = bytes.toString('latin1');
  const { groups = {} } = FORM_2.exec(record) ?? FORM_1.exec(record) ?? {};
  const { text = '', storeId = '', position, root, digest, epoch = FIRST_EPOCH } = groups;
  if (digest !== digestOf(text)) return undefined;
  const { reached = position, highestId = '-' } = groups;
  return {
    storeId,
    epoch,
    position: Number(position),
    root: root === UNKNOWN_ROOT ? undefined : root,
    reached: Number(reached),
    highestId: highestId === '-' ? undefined : BigInt(highestId),
  };
}

export function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
