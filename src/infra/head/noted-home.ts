/**
 * The database that contains a store, noted in the head file of the store. A file that is named by the
 * id of the store is so found by the database, too, if that shows another id.
 */

import { bytesIn } from './head-file.ts';
import { digestOf, RECORD_BYTES, RECORDS } from './head-records.ts';
import { tryToNote } from './note.ts';

/** In a sector of its own, which a disk writes atomically. */
const PLACE = (RECORDS + 2) * RECORD_BYTES;

const FORM =
  /^(?<text>home 1 (?<storeId>[0-9a-f]{16}) (?<home>\d*\/\d+\/\d+)) (?<digest>[0-9a-f]{16})\s*$/;

/** Notes the database of a store, durably, in the head file of the store. */
export function noteHome(headFile: string, storeId: string, home: string): void {
  if (readNotedHome(headFile, storeId) === home) return;
  tryToNote(headFile, PLACE, `home 1 ${storeId} ${home}`);
}

/** Returns the noted database of a store; `undefined` if none is noted that is valid. */
export function readNotedHome(headFile: string, storeId: string): string | undefined {
  const { groups } = FORM.exec(bytesIn(headFile, PLACE, RECORD_BYTES).toString('latin1')) ?? {};
  const isValid = groups?.digest === digestOf(groups?.text ?? '') && groups.storeId === storeId;
  return isValid ? groups.home : undefined;
}
