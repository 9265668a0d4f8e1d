import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CannotStart } from '../../app/cannot-start.ts';

/** How far a log has come. */
export interface Head {
  /** The position of its newest event; 0 where there is none. */
  readonly position: number;
  /** The root of the tree over all events up to there, 64 hex digits, or {@link UNKNOWN_ROOT}. */
  readonly root: string;
}

/** Stands for a root that nobody has computed. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** A log, as far as a head can be compared with it. */
export interface Log {
  /** The store's id; `undefined` where there is no store. */
  readonly storeId: string | undefined;
  /** The position of its newest event. */
  readonly position: number;
  /** The root there, 64 hex digits; `undefined` where no tree goes as far. */
  readonly root: string | undefined;
}

/** What a disk writes whole or not at all, in bytes: a record takes that much. */
const RECORD_BYTES = 512;
const RECORDS = 2;

/**
 * The head of a store's log, outside the database: what was acknowledged, even if the database has
 * forgotten it.
 *
 * It is written after each commit, when the commit is on the disk, and is not flushed to the disk
 * itself. So whatever a power cut leaves of it, it is never ahead of the log: a log that is shorter
 * has lost something. Two records are written in turn, so that a torn one leaves the other; each
 * takes the place of the one that is further behind, whoever wrote it, because command line tools
 * append beside the server.
 */
export class HeadFile {
  readonly #fd: number;
  readonly #storeId: string;
  readonly #contents: Contents;
  /** The positions in the file. */
  #positions: readonly [first: number, second: number] = [-1, -1];
  #due: { readonly head: Head; readonly cause: Error } | undefined;

  /** Opens the head of a store's file, and makes it if it is not there. */
  constructor(file: string, storeId: string) {
    this.#fd = openOrMake(headFileOf(file));
    this.#contents = new Contents(this.#fd);
    this.#storeId = storeId;
  }

  /** Notes a head that is on the disk. One that is behind what is noted already changes nothing. */
  write(head: Head): void {
    this.#lookAgain();
    const [first, second] = this.#positions;
    if (head.position <= Math.max(first, second)) return;
    const record = encode({ ...head, storeId: this.#storeId });
    const at = first <= second ? 0 : RECORD_BYTES;
    writeSync(this.#fd, record, 0, RECORD_BYTES, at);
    record.copy(this.#contents.bytes, at);
    this.#positions = at === 0 ? [head.position, second] : [first, head.position];
  }

  /** Notes a head of what is recorded already. Where that fails, it is due: see {@link unwritten}. */
  tryToWrite(head: Head): void {
    try {
      this.write(head);
      this.#due = undefined;
    } catch (error) {
      this.#due = { head, cause: error as Error };
    }
  }

  /** Notes the head that could not be noted, if there is one. Throws where it still cannot be. */
  writeIfDue(): void {
    if (this.#due === undefined) return;
    this.write(this.#due.head);
    this.#due = undefined;
  }

  /** Why the newest head is not noted; `undefined` where it is. */
  get unwritten(): Error | undefined {
    return this.#due?.cause;
  }

  close(): void {
    closeSync(this.#fd);
  }

  // To read a few bytes is cheap, to make sense of them is not, and seldom has anybody changed them.
  #lookAgain(): void {
    if (!this.#contents.haveChanged()) return;
    const [first, second] = recordsIn(this.#contents.bytes);
    this.#positions = [first?.position ?? -1, second?.position ?? -1];
  }
}

/**
 * Tells whether a head was noted since it was last asked. Whoever appends notes the log's new head
 * before anybody is told, so where this says no, every acknowledged event is known already. It takes a
 * third of the time that SQLite takes to tell the head itself.
 */
export class HeadSignal {
  readonly #fd: number;
  readonly #contents: Contents;
  #isDistrusted = false;

  /** Opens the head of a store's file, which is there. */
  constructor(file: string) {
    this.#fd = openSync(headFileOf(file), 'r');
    this.#contents = new Contents(this.#fd);
  }

  isNew(): boolean {
    return this.#contents.haveChanged() || this.#isDistrusted;
  }

  /** Says whether heads may be there that could not be noted: then every question may be one of those. */
  distrust(isDistrusted: boolean): void {
    this.#isDistrusted = isDistrusted;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/**
 * Throws {@link CannotStart} where the log of a store's file is shorter than its head, or another
 * one. Without a head that can be read, there is nothing to compare.
 * @param readLog Reads the log. It is called when the head has been read: somebody may be appending.
 */
export function refuseOtherLog(file: string, readLog: () => Log): void {
  const name = headFileOf(file);
  const head = readHead(name);
  if (head === undefined) return;
  const log = readLog();
  const wrong = whatIsWrong(head, log, file);
  if (wrong === undefined) return;
  throw new CannotStart(
    `${wrong} Nothing was changed. Restore a backup; if you have just done that, delete ${name}`,
  );
}

/** What is noted of a store's file, and of which store; `undefined` where that cannot be read. */
export function readHeadOf(file: string): HeadRecord | undefined {
  return readHead(headFileOf(file));
}

function whatIsWrong(head: HeadRecord, log: Log, file: string): string | undefined {
  const acknowledged = `position ${head.position} was acknowledged`;
  if (log.position < head.position) {
    return `The log in ${file} ends at position ${log.position}, but ${acknowledged}.`;
  }
  // Where the log has grown since the head was noted, its root is another one anyway.
  const isComparable = log.position === head.position && head.root !== UNKNOWN_ROOT;
  const isOther = isComparable && log.root !== undefined && log.root !== head.root;
  if (log.storeId === head.storeId && !isOther) return undefined;
  return `The log in ${file} is not the one of which ${acknowledged}.`;
}

/** Deletes the head of a store's file. */
export function removeHead(file: string): void {
  rmSync(headFileOf(file), { force: true });
}

/** The name of the file in which the head of a store's file is noted. */
export function headFileOf(file: string): string {
  return `${file}-head`;
}

interface HeadRecord extends Head {
  readonly storeId: string;
}

function readHead(name: string): HeadRecord | undefined {
  if (!existsSync(name)) return undefined;
  const fd = openSync(name, 'r');
  try {
    const bytes = readInto(Buffer.alloc(RECORDS * RECORD_BYTES), fd);
    const records = recordsIn(bytes).filter((record) => record !== undefined);
    return records.sort((one, other) => other.position - one.position)[0];
  } finally {
    closeSync(fd);
  }
}

function openOrMake(name: string): number {
  const isNew = !existsSync(name);
  const fd = openSync(name, constants.O_RDWR | constants.O_CREAT, 0o600);
  // An older one may have been deleted on purpose: a power cut must not bring it back.
  if (isNew) {
    fsyncSync(fd);
    const folder = openSync(dirname(name), 'r');
    fsyncSync(folder);
    closeSync(folder);
  }
  return fd;
}

/** Reads the whole file; what is not there reads as zeros. */
function readInto(bytes: Buffer, fd: number): Buffer {
  bytes.fill(0);
  readSync(fd, bytes, 0, bytes.length, 0);
  return bytes;
}

/** All that is in an open file, as it was last read. */
class Contents {
  readonly #fd: number;
  bytes = Buffer.alloc(RECORDS * RECORD_BYTES);
  /** For the next time: the two change places. */
  #spare = Buffer.alloc(RECORDS * RECORD_BYTES);

  constructor(fd: number) {
    this.#fd = fd;
  }

  /** Reads the file, and tells whether it is another than before; at first, whether anything is there. */
  haveChanged(): boolean {
    readInto(this.#spare, this.#fd);
    if (this.#spare.equals(this.bytes)) return false;
    [this.bytes, this.#spare] = [this.#spare, this.bytes];
    return true;
  }
}

function recordsIn(bytes: Buffer): readonly (HeadRecord | undefined)[] {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

// Text, so that a person can read it: "head 1 <store> <position> <root> <digest of all that>".

const FORMAT = 'head 1';
const RECORD = new RegExp(
  `^(${FORMAT} ([0-9a-f]{16}) (\\d{16}) ([0-9a-f]{64})) ([0-9a-f]{16})\\s*$`,
);

function encode({ storeId, position, root }: HeadRecord): Buffer {
  const text = `${FORMAT} ${storeId} ${String(position).padStart(16, '0')} ${root}`;
  return Buffer.from(`${text} ${digestOf(text)}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

/** `undefined` where it is not whole. */
function decode(bytes: Buffer): HeadRecord | undefined {
  const [, text = '', storeId = '', position, root = '', digest] =
    RECORD.exec(bytes.toString('latin1')) ?? [];
  if (position === undefined || digest !== digestOf(text)) return undefined;
  return { storeId, position: Number(position), root };
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
