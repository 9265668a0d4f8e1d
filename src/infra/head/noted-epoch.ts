/**
 * The first head of an epoch that is about to begin, noted in a head file behind the number of changes
 * of API keys, before the statement of the break is recorded. A statement that was not noted was
 * recorded by somebody else. See docs/adr/0020.
 */

import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { syncFolder } from '../process/sync-folder.ts';
import { decode, encode, RECORD_BYTES, RECORDS } from './head-records.ts';

/** In a sector of its own, which a disk writes atomically. */
const PLACE = (RECORDS + 1) * RECORD_BYTES;

/** Notes the first head of an epoch, durably. Makes the file if there is none: that of a backup. */
export function noteEpoch(headFile: string, begun: AcknowledgedHead): void {
  const isNew = !existsSync(headFile);
  const fd = openSync(headFile, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    writeSync(fd, encode(begun), 0, RECORD_BYTES, PLACE);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  if (isNew) syncFolder(dirname(headFile));
}

/** Returns the first head of the epoch that was noted last; `undefined` once it is the head. */
export function readNotedEpoch(headFile: string): AcknowledgedHead | undefined {
  if (statSync(headFile, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const fd = openSync(headFile, 'r');
  try {
    const record = Buffer.alloc(RECORD_BYTES);
    readSync(fd, record, 0, RECORD_BYTES, PLACE);
    return decode(record);
  } finally {
    closeSync(fd);
  }
}
