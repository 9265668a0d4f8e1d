/**
 * The notes about a store beside the head in its file: lines such as `keys 1 STORE VALUE DIGEST`, and the first
 * head of an epoch, each in a sector of its own, which a disk writes atomically.
 */

import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { bytesIn, replaceContents } from './head-file.ts';
import { decode, digestOf, encode, RECORD_BYTES, RECORDS, sealed } from './head-records.ts';

const KEY_CHANGES = noteOf('keys', RECORDS, String.raw`\d{16}`);
/** The place of the first head of an epoch. */
const EPOCH_PLACE = (RECORDS + 1) * RECORD_BYTES;
const HOME = noteOf('home', RECORDS + 2, String.raw`\d*\/\d+\/\d+`);

type Note = ReturnType<typeof noteOf>;

function noteOf(name: string, sector: number, value: string) {
  const text = `(?<text>${name} 1 (?<storeId>[0-9a-f]{16}) (?<value>${value}))`;
  const form = new RegExp(String.raw`^${text} (?<digest>[0-9a-f]{16})\s*$`);
  return { name, place: sector * RECORD_BYTES, form };
}

/**
 * Notes, durably, the number of acknowledged changes of API keys that a store has. A store with fewer has
 * lost some, such as a revocation: the log does not show that. Without the note, fewer lost changes are
 * detected: the change itself is recorded.
 */
export function noteKeyChanges(headFile: string, storeId: string, changes: number): void {
  // None needs no note.
  if ((readKeyChanges(headFile, storeId) ?? 0) === changes) return;
  tryToWrite(KEY_CHANGES, headFile, storeId, String(changes).padStart(16, '0'));
}

/** Returns the noted number of a store's changes; `undefined` if none is noted that is valid. */
export function readKeyChanges(headFile: string, storeId: string): number | undefined {
  const changes = read(KEY_CHANGES, headFile, storeId);
  return changes === undefined ? undefined : Number(changes);
}

/**
 * Notes, durably, the first head of an epoch that is about to begin, before the statement of the break is
 * recorded: a statement that was not noted was recorded by somebody else (docs/adr/0020). Makes the file if
 * there is none: that of a backup.
 */
export function noteEpoch(headFile: string, begun: AcknowledgedHead): void {
  const contents = bytesIn(headFile, 0, EPOCH_PLACE + RECORD_BYTES);
  encode(begun).copy(contents, EPOCH_PLACE);
  replaceContents(headFile, contents);
}

/** Returns the first head of the epoch that was noted last; `undefined` once it is the head. */
export function readNotedEpoch(headFile: string): AcknowledgedHead | undefined {
  return decode(bytesIn(headFile, EPOCH_PLACE, RECORD_BYTES));
}

/**
 * Notes, durably, the database that contains a store. A file that is named by the id of the store is so
 * found by the database, too, if that shows another id.
 */
export function noteHome(headFile: string, storeId: string, home: string): void {
  if (readNotedHome(headFile, storeId) !== home) tryToWrite(HOME, headFile, storeId, home);
}

/** Returns the noted database of a store; `undefined` if none is noted that is valid. */
export function readNotedHome(headFile: string, storeId: string): string | undefined {
  return read(HOME, headFile, storeId);
}

function read({ place, form }: Note, headFile: string, storeId: string): string | undefined {
  const { groups } = form.exec(bytesIn(headFile, place, RECORD_BYTES).toString('latin1')) ?? {};
  const isValid = groups?.digest === digestOf(groups?.text ?? '') && groups.storeId === storeId;
  return isValid ? groups.value : undefined;
}

/** Does nothing without the file, or if it cannot be written: the next start detects less. */
function tryToWrite({ name, place }: Note, headFile: string, storeId: string, value: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(headFile, 'r+');
    writeSync(fd, sealed(`${name} 1 ${storeId} ${value}`), 0, RECORD_BYTES, place);
    fsyncSync(fd);
  } catch {
    // Noted by the next start.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
