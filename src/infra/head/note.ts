/** The notes beside the head in its file, each in a sector of its own. */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { RECORD_BYTES, sealed } from './head-records.ts';

/**
 * Writes a record at a place of a head file, durably. Does nothing without the file, or if it cannot be
 * written: the next start detects less.
 */
export function tryToNote(name: string, place: number, text: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(name, 'r+');
    writeSync(fd, sealed(text), 0, RECORD_BYTES, place);
    fsyncSync(fd);
  } catch {
    // Noted by the next start.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
