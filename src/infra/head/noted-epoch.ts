/**
 * The first head of an epoch that is about to begin, noted in a head file behind the number of changes
 * of API keys, before the statement of the break is recorded. A statement that was not noted was
 * recorded by somebody else. See docs/adr/0020.
 */

import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { bytesIn, replaceContents } from './head-file.ts';
import { decode, encode, RECORD_BYTES, RECORDS } from './head-records.ts';

/** In a sector of its own, which a disk writes atomically. */
const PLACE = (RECORDS + 1) * RECORD_BYTES;

/** Notes the first head of an epoch, durably. Makes the file if there is none: that of a backup. */
export function noteEpoch(headFile: string, begun: AcknowledgedHead): void {
  const contents = bytesIn(headFile, 0, PLACE + RECORD_BYTES);
  encode(begun).copy(contents, PLACE);
  replaceContents(headFile, contents);
}

/** Returns the first head of the epoch that was noted last; `undefined` once it is the head. */
export function readNotedEpoch(headFile: string): AcknowledgedHead | undefined {
  return decode(bytesIn(headFile, PLACE, RECORD_BYTES));
}
