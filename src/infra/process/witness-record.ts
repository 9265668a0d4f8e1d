/**
 * The records of a witness's file. Text, so that a person can read it: "head 2 <store> <epoch>
 * <position> <root> <reached> <highest id> <digest of all that>". Form 1 had neither epochs nor the
 * highest position that was reached in them.
 */

import { hash } from 'node:crypto';
import { epochNumberOf, FIRST_EPOCH } from '../../app/log/epochs.ts';
import type { Witness } from '../../app/log/witness.ts';

/** Stands for a root that was not computed. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** The size of a record in bytes: a disk writes that much whole or not at all. */
export const RECORD_BYTES = 512;
/** The records in a file. */
export const RECORDS = 2;

/** Returns true where one is of a later epoch than the other, or of the same and further on. */
export function isAhead(one: Witness | undefined, other: Witness | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  const epochs = epochNumberOf(one.epoch) - epochNumberOf(other.epoch);
  return epochs === 0 ? one.position > other.position : epochs > 0;
}

/** Returns the records in the bytes of a file; `undefined` for one that is not whole. */
export function recordsIn(bytes: Buffer): readonly (Witness | undefined)[] {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

const FORM_1 = /^(head 1 ([0-9a-f]{16}) (\d{16}) ([0-9a-f]{64})) ([0-9a-f]{16})\s*$/;
const FORM_2 =
  /^(head 2 ([0-9a-f]{16}) (\S{1,48}) (\d{16}) ([0-9a-f]{64}) (\d{16}) (\d{1,19}|-)) ([0-9a-f]{16})\s*$/;

/** Returns the bytes of a record. */
export function encode({ storeId, epoch, position, root, reached, highestId }: Witness): Buffer {
  const text = `head 2 ${storeId} ${epoch} ${padded(position)} ${root ?? UNKNOWN_ROOT} ${padded(reached)} ${highestId ?? '-'}`;
  return Buffer.from(`${text} ${digestOf(text)}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

function padded(position: number): string {
  return String(position).padStart(16, '0');
}

/** `undefined` where it is not whole. */
function decode(bytes: Buffer): Witness | undefined {
  const text = bytes.toString('latin1');
  const older = FORM_1.exec(text);
  if (older !== null) {
    const [, said = '', storeId = '', position, root = '', digest] = older;
    if (digest !== digestOf(said)) return undefined;
    const at = { position: Number(position), reached: Number(position), root: known(root) };
    return { storeId, epoch: FIRST_EPOCH, ...at, highestId: undefined };
  }
  const [, said = '', storeId = '', epoch = '', position, root = '', reached, highest, digest] =
    FORM_2.exec(text) ?? [];
  if (position === undefined || digest !== digestOf(said)) return undefined;
  const highestId = highest === '-' ? undefined : BigInt(highest as string);
  const at = { position: Number(position), reached: Number(reached), root: known(root) };
  return { storeId, epoch, ...at, highestId };
}

function known(root: string): string | undefined {
  return root === UNKNOWN_ROOT ? undefined : root;
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
