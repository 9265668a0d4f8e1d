/**
 * The number of acknowledged changes of API keys, noted in a head file behind its two records of the
 * log. A store with fewer has lost some, such as a revocation: the log does not show that.
 */

import { bytesIn } from './head-file.ts';
import { digestOf, RECORD_BYTES, RECORDS } from './head-records.ts';
import { tryToNote } from './note.ts';

/** Behind the records, in a sector of its own, which a disk writes atomically. */
const PLACE = RECORDS * RECORD_BYTES;

const FORM =
  /^(?<text>keys 1 (?<storeId>[0-9a-f]{16}) (?<changes>\d{16})) (?<digest>[0-9a-f]{16})\s*$/;

/**
 * Notes, durably, the number of changes that a store has. Does nothing without a head file. If it
 * cannot be written, fewer lost changes are detected: the change itself is recorded.
 */
export function noteKeyChanges(headFile: string, storeId: string, changes: number): void {
  // None needs no note.
  if ((readKeyChanges(headFile, storeId) ?? 0) === changes) return;
  tryToNote(headFile, PLACE, `keys 1 ${storeId} ${String(changes).padStart(16, '0')}`);
}

/** Returns the noted number of a store's changes; `undefined` if none is noted that is valid. */
export function readKeyChanges(headFile: string, storeId: string): number | undefined {
  const record = bytesIn(headFile, PLACE, RECORD_BYTES).toString('latin1');
  const { groups } = FORM.exec(record) ?? {};
  const isValid = groups?.digest === digestOf(groups?.text ?? '') && groups.storeId === storeId;
  return isValid ? Number(groups.changes) : undefined;
}
