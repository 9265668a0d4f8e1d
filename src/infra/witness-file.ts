import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { epochNumberOf, FIRST_EPOCH } from '../app/epochs.ts';
import type { Witness } from '../app/witness.ts';

/** How far a log has come. */
export interface Head {
  /** The position of its newest event; 0 where there is none. */
  readonly position: number;
  /** The root of the tree over all events up to there, 64 hex digits, or {@link UNKNOWN_ROOT}. */
  readonly root: string;
}

/** Stands for a root that nobody has computed. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** What a disk writes whole or not at all, in bytes: a record takes that much. */
const RECORD_BYTES = 512;
const RECORDS = 2;

/**
 * The file of a {@link Witness}: what was acknowledged of a log, even if its database has forgotten it.
 *
 * It is written after each commit, when the commit is on the disk, and is not flushed to the disk
 * itself. So whatever a power cut leaves of it, it is never ahead of the log: a log that is shorter
 * has lost something. Two records are written in turn, so that a torn one leaves the other; each
 * takes the place of the one that is further behind, whoever wrote it, because command line tools
 * append beside the server. Only the first record of a file is flushed, with the file itself: from
 * then on there is always a whole one.
 */
export class WitnessFile {
  readonly #fd: number;
  readonly #storeId: string;
  readonly #epoch: string;
  readonly #contents: Contents;
  /** What is in the file. */
  #records: readonly (Witness | undefined)[] = [];
  #highestId = 0n;
  #due: { readonly head: Head; readonly cause: Error } | undefined;

  /** Opens a file, and makes it if it is not there. */
  constructor(name: string, storeId: string, epoch = FIRST_EPOCH) {
    const isNew = !existsSync(name);
    this.#fd = openSync(name, constants.O_RDWR | constants.O_CREAT, 0o600);
    // An older one may have been deleted on purpose: a power cut must not bring it back.
    if (isNew) syncFolder(dirname(name));
    this.#contents = new Contents(this.#fd);
    this.#storeId = storeId;
    this.#epoch = epoch;
  }

  /**
   * Notes a head that is on the disk. One that is behind what is noted already changes nothing.
   * @param highestId The highest id of an order among the events that were appended with it.
   */
  write(head: Head, highestId = 0n): void {
    this.#lookAgain();
    if (highestId > this.#highestId) this.#highestId = highestId;
    const [first, second] = this.#records;
    const latest = isAhead(first, second) ? first : second;
    const witness: Witness = {
      ...head,
      storeId: this.#storeId,
      epoch: this.#epoch,
      reached: Math.max(head.position, latest?.reached ?? 0),
      highestId: this.#highestOf(latest),
    };
    if (latest !== undefined && !isAhead(witness, latest)) return;
    const at = isAhead(first, second) ? RECORD_BYTES : 0;
    const record = encode(witness);
    writeSync(this.#fd, record, 0, RECORD_BYTES, at);
    if (latest === undefined) fsyncSync(this.#fd);
    record.copy(this.#contents.bytes, at);
    this.#records = at === 0 ? [witness, second] : [first, witness];
  }

  /** Notes a head of what is recorded already. Where that fails, it is due: see {@link unwritten}. */
  tryToWrite(head: Head, highestId?: bigint): void {
    try {
      this.write(head, highestId);
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

  // Records of older versions do not tell the highest id: what was given before is not known then.
  #highestOf(latest: Witness | undefined): bigint | undefined {
    if (latest === undefined) return this.#highestId;
    const { highestId } = latest;
    if (highestId === undefined) return undefined;
    return highestId > this.#highestId ? highestId : this.#highestId;
  }

  // To read a few bytes is cheap, to make sense of them is not, and seldom has anybody changed them.
  #lookAgain(): void {
    if (this.#contents.haveChanged()) this.#records = recordsIn(this.#contents.bytes);
  }
}

/** Tells whether a witness's file was written since it was last asked. */
export class WitnessSignal {
  readonly #fd: number;
  readonly #contents: Contents;
  #isDistrusted = false;

  /** Opens a file, which is there. */
  constructor(name: string) {
    this.#fd = openSync(name, 'r');
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

/** What is noted in a file; `undefined` where that cannot be read. */
export function readWitness(name: string): Witness | undefined {
  if (!existsSync(name)) return undefined;
  const fd = openSync(name, 'r');
  try {
    const [first, second] = recordsIn(readInto(Buffer.alloc(RECORDS * RECORD_BYTES), fd));
    return isAhead(first, second) ? first : second;
  } finally {
    closeSync(fd);
  }
}

/** Puts another witness in the place of what is noted, durably: all of it or nothing. */
export function replaceWitness(name: string, witness: Witness): void {
  const unfinished = `${name}-new`;
  writeFileSync(unfinished, encode(witness), { mode: 0o600, flush: true });
  renameSync(unfinished, name);
  syncFolder(dirname(name));
}

/** Whether one is of a later epoch than the other, or of the same and further on. */
function isAhead(one: Witness | undefined, other: Witness | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  const epochs = epochNumberOf(one.epoch) - epochNumberOf(other.epoch);
  return epochs === 0 ? one.position > other.position : epochs > 0;
}

function syncFolder(name: string): void {
  const folder = openSync(name, 'r');
  fsyncSync(folder);
  closeSync(folder);
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

function recordsIn(bytes: Buffer): readonly (Witness | undefined)[] {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

// Text, so that a person can read it: "head 2 <store> <epoch> <position> <root> <reached> <highest
// id> <digest of all that>". Form 1 had neither epochs nor what was reached in them.

const FORM_1 = /^(head 1 ([0-9a-f]{16}) (\d{16}) ([0-9a-f]{64})) ([0-9a-f]{16})\s*$/;
const FORM_2 =
  /^(head 2 ([0-9a-f]{16}) (\S{1,48}) (\d{16}) ([0-9a-f]{64}) (\d{16}) (\d{1,19}|-)) ([0-9a-f]{16})\s*$/;

function encode({ storeId, epoch, position, root, reached, highestId }: Witness): Buffer {
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
