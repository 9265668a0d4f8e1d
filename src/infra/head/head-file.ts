/** The head file, outside the database. */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { FIRST_EPOCH } from '../../app/log/epochs.ts';
import { giveToStoreOwner } from '../process/store-owner.ts';
import { syncFolder } from '../process/sync-folder.ts';
import {
  encode,
  highestIdIn,
  isAhead,
  latestOf,
  RECORD_BYTES,
  RECORDS,
  type Records,
  recordsIn,
} from './head-records.ts';

/** The shortest interval between two looks if the file is at its path, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;

/** The head of a log: the position of its newest event, 0 if there is none, and the root there. */
type Head = Pick<AcknowledgedHead, 'position' | 'root'>;

/**
 * The file of a {@link AcknowledgedHead}.
 *
 * It is written after each commit, when that is on the disk, and is not flushed. So after a power
 * cut it may be behind the log but never ahead: a log that is shorter has lost events. The two
 * records are written in turn, so that a torn write leaves the other one. Each write replaces the
 * older record, whichever process wrote it, because commands append beside the server. Only the
 * first record is flushed, with the new file: from then on one is valid.
 *
 * A file that is removed while it is open is made anew: the next start would not know what was
 * acknowledged.
 */
export class HeadFile {
  readonly #name: string;
  readonly #storeId: string;
  readonly #epoch: string;
  #fd: number;
  #contents: Contents;
  /** True until the first record is flushed. */
  #isNew: boolean;
  #lookedAt = performance.now();
  /** The records in the file. */
  #records: Records = [];
  #highestId = 0n;
  #due: { readonly head: Head; readonly cause: Error } | undefined;

  /** Opens or creates a file. */
  constructor(name: string, storeId: string, epoch = FIRST_EPOCH) {
    this.#name = name;
    this.#storeId = storeId;
    this.#epoch = epoch;
    const { fd, isNew } = openOrMake(name);
    this.#fd = fd;
    this.#isNew = isNew;
    this.#contents = new Contents(fd);
  }

  /**
   * Notes a head that is on the disk. A newer one that is noted already stays: the older of the two
   * records is replaced.
   * @param highestId The highest id of an order among the events appended with it.
   */
  write(head: Head, highestId = 0n): void {
    // Before what can fail: a later write notes it, too.
    if (highestId > this.#highestId) this.#highestId = highestId;
    const now = performance.now();
    if (now - this.#lookedAt >= POLL_INTERVAL_MS) {
      this.#reopenIfGone();
      this.#lookedAt = now;
    }
    // Reading the bytes is cheap, parsing is not, and other processes seldom change them.
    if (this.#contents.haveChanged()) this.#records = recordsIn(this.#contents.bytes);
    const [first, second] = this.#records;
    const latest = latestOf(this.#records);
    const acknowledged: AcknowledgedHead = {
      ...head,
      storeId: this.#storeId,
      epoch: this.#epoch,
      reached: Math.max(head.position, latest?.reached ?? 0),
      highestId: highestIdIn(this.#records, this.#highestId),
    };
    const at = isAhead(first, second) ? RECORD_BYTES : 0;
    const record = encode(acknowledged);
    writeSync(this.#fd, record, 0, RECORD_BYTES, at);
    if (latest === undefined || this.#isNew) fsyncSync(this.#fd);
    this.#isNew = false;
    record.copy(this.#contents.bytes, at);
    this.#records = at === 0 ? [acknowledged, second] : [first, acknowledged];
  }

  /**
   * Notes a head of events that are recorded already. If that fails, it is due: see {@link
   * unwritten}.
   */
  tryToWrite(head: Head, highestId?: bigint): void {
    try {
      this.write(head, highestId);
      this.#due = undefined;
    } catch (error) {
      this.#due = { head, cause: error as Error };
    }
  }

  /** Notes the head that is due, if there is one. Throws if that fails again. */
  writeIfDue(): void {
    if (this.#due === undefined) return;
    this.write(this.#due.head);
    this.#due = undefined;
  }

  /** The reason why the newest head is not noted; `undefined` if it is. */
  get unwritten(): Error | undefined {
    return this.#due?.cause;
  }

  /**
   * Notes the head that is due, and makes the file anew if it was removed. To be called at the end,
   * when no later write does.
   * @param requireLog Throws if the log was removed, too: nothing is noted then.
   */
  restore(requireLog: () => void = () => {}): void {
    try {
      const isGone = !existsSync(this.#name);
      const head = this.#due?.head ?? (isGone ? latestOf(this.#records) : undefined);
      if (head === undefined) return;
      requireLog();
      this.#reopenIfGone();
      this.write(head);
    } catch {
      // The next start says that there is none, or detects fewer lost events.
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  /** Opens or makes the file at the path, if it is another than the open one. */
  #reopenIfGone(): void {
    const [there, open] = [statSync(this.#name, { throwIfNoEntry: false }), fstatSync(this.#fd)];
    if (there?.ino === open.ino && there.dev === open.dev) return;
    const { fd, isNew } = openOrMake(this.#name);
    closeSync(this.#fd);
    this.#fd = fd;
    this.#isNew = isNew;
    // The records that were read before stay, unless the file has others.
    this.#contents = new Contents(fd);
  }
}

function openOrMake(name: string): { readonly fd: number; readonly isNew: boolean } {
  const isNew = !existsSync(name);
  const fd = openSync(name, constants.O_RDWR | constants.O_CREAT, 0o600);
  if (isNew) {
    giveToStoreOwner(name);
    // A previous file may have been deleted on purpose: a power cut must not restore it.
    syncFolder(dirname(name));
  }
  return { fd, isNew };
}

/** Returns the newest head in a file; `undefined` if there is none that is valid. */
export function readHeadFile(name: string): AcknowledgedHead | undefined {
  const records = recordsIn(bytesIn(name, 0, RECORDS * RECORD_BYTES));
  const latest = latestOf(records);
  return latest && { ...latest, highestId: highestIdIn(records) };
}

/** Returns the bytes at a place of a head file, padded with zeros; only zeros if there is no file. */
export function bytesIn(name: string, place: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  // To read a folder fails, and to open a pipe may take for ever.
  if (statSync(name, { throwIfNoEntry: false })?.isFile() !== true) return bytes;
  const fd = openSync(name, 'r');
  try {
    readSync(fd, bytes, 0, count, place);
    return bytes;
  } finally {
    closeSync(fd);
  }
}

/** Replaces the head in a file, durably and atomically. */
export function replaceHeadFile(name: string, acknowledged: AcknowledgedHead): void {
  replaceContents(name, encode(acknowledged));
}

/** Replaces the contents of a head file, durably and atomically, also of one that is read-only. */
export function replaceContents(name: string, contents: Buffer): void {
  const unfinished = `${name}-new`;
  writeFileSync(unfinished, contents, { mode: 0o600, flush: true });
  giveToStoreOwner(unfinished);
  renameSync(unfinished, name);
  syncFolder(dirname(name));
}

/** The contents of an open file at the last read. */
class Contents {
  readonly #fd: number;
  bytes = Buffer.alloc(RECORDS * RECORD_BYTES);
  /** The buffer of the next read: the two are swapped. */
  #spare = Buffer.alloc(RECORDS * RECORD_BYTES);

  constructor(fd: number) {
    this.#fd = fd;
  }

  /**
   * Reads the file, padded with zeros. Returns true if it differs from the previous read; at the
   * first one, if it is not empty.
   */
  haveChanged(): boolean {
    this.#spare.fill(0);
    readSync(this.#fd, this.#spare, 0, this.#spare.length, 0);
    if (this.#spare.equals(this.bytes)) return false;
    [this.bytes, this.#spare] = [this.#spare, this.bytes];
    return true;
  }
}
