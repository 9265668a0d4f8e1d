/** Small files of users: receipts, checkpoints, keys and policies. */

import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';

/** The longest file: no receipt, checkpoint or public key is nearly as long. */
const MAX_BYTES = 1 << 20;

/**
 * Returns the exact text of a small file: nothing is dropped or replaced, and no more than a
 * megabyte is read, however long the file is. Throws an Error with the reason if it cannot be read.
 */
export function readSmallFile(file: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  const fd = openSync(file, 'r');
  let length = 0;
  try {
    for (let read = -1; read !== 0; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, null);
    }
  } finally {
    closeSync(fd);
  }
  if (length > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
  const text = bytes.subarray(0, length);
  if (!isUtf8(text)) throw new Error('it is not UTF-8');
  return text.toString();
}

/** Returns the same. Throws {@link CannotStart} if the file cannot be read. */
export function requireSmallFile(file: string): string {
  try {
    return readSmallFile(file);
  } catch (error) {
    throw new CannotStart(`${file} cannot be read: ${(error as Error).message}`);
  }
}
