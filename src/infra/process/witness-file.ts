/**
 * The files in which witnesses are noted. A file holds two records, of text, so that a person can
 * read them: "head 2 <store> <epoch> <position> <root> <reached> <highest id> <digest of all that>".
 * Form 1 had neither epochs nor the highest position that was reached in them.
 */

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
import { epochNumberOf, FIRST_EPOCH } from '../../app/log/epochs.ts';
import type { Witness } from '../../app/log/witness.ts';
import { syncFolder } from './sync-folder.ts';

/** Stands for a root that was not computed. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** The size of a record in bytes: a disk writes that much whole or not at all. */
const RECORD_BYTES = 512;
const RECORDS = 2;

/** The end of a log: the position of its newest event, 0 where there is none, and the root there. */
type Head = Pick<Witness, 'position' | 'root'>;

/**
 * The file of a {@link Witness}: what was acknowledged of a log, even if its database has forgotten
 * it.
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
  /** The records in the file. */
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
    // To read a few bytes is cheap, to make sense of them is not, and seldom has anybody changed them.
    if (this.#contents.haveChanged()) this.#records = recordsIn(this.#contents.bytes);
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

  /** Notes a head of what is recorded already. If that fails, it is due: see {@link unwritten}. */
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

  /** The reason why the newest head is not noted; `undefined` where it is. */
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
}

/**
 * Detects that a witness's file was written since the previous call. Each append notes the log's new
 * head before the event is acknowledged, so without a new one every acknowledged event has been read
 * already. Takes a third of the time of a read of the head from SQLite.
 */
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

  /** Sets the answer to always true, for as long as heads may be missing that could not be noted. */
  distrust(isDistrusted: boolean): void {
    this.#isDistrusted = isDistrusted;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** Returns the witness in a file; `undefined` where it cannot be read. */
export function readWitness(name: string): Witness | undefined {
  if (!existsSync(name)) return undefined;
  const fd = openSync(name, 'r');
  try {
    const contents = new Contents(fd);
    contents.haveChanged();
    const [first, second] = recordsIn(contents.bytes);
    return isAhead(first, second) ? first : second;
  } finally {
    closeSync(fd);
  }
}

/** Replaces the witness in a file, durably: all of it or nothing. */
export function replaceWitness(name: string, witness: Witness): void {
  const unfinished = `${name}-new`;
  writeFileSync(unfinished, encode(witness), { mode: 0o600, flush: true });
  renameSync(unfinished, name);
  syncFolder(dirname(name));
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

  /**
   * Reads the file; what is not there reads as zeros. Returns true where it is another than before; at
   * first, where anything is there.
   */
  haveChanged(): boolean {
    this.#spare.fill(0);
    readSync(this.#fd, this.#spare, 0, this.#spare.length, 0);
    if (this.#spare.equals(this.bytes)) return false;
    [this.bytes, this.#spare] = [this.#spare, this.bytes];
    return true;
  }
}

/** Returns true where one is of a later epoch than the other, or of the same and further on. */
function isAhead(one: Witness | undefined, other: Witness | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (one.epoch === other.epoch) return one.position > other.position;
  const epochs = epochNumberOf(one.epoch) - epochNumberOf(other.epoch);
  return epochs === 0 ? one.position > other.position : epochs > 0;
}

/** Returns the records in the bytes of a file; `undefined` for one that is not whole. */
function recordsIn(bytes: Buffer): readonly (Witness | undefined)[] {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

const FORM_1 =
  /^(?<text>head 1 (?<storeId>[0-9a-f]{16}) (?<position>\d{16}) (?<root>[0-9a-f]{64})) (?<digest>[0-9a-f]{16})\s*$/;
const FORM_2 =
  /^(?<text>head 2 (?<storeId>[0-9a-f]{16}) (?<epoch>\S{1,48}) (?<position>\d{16}) (?<root>[0-9a-f]{64}) (?<reached>\d{16}) (?<highestId>\d{1,19}|-)) (?<digest>[0-9a-f]{16})\s*$/;

/** Returns the bytes of a record. */
function encode({ storeId, epoch, position, root, reached, highestId }: Witness): Buffer {
  const text = `head 2 ${storeId} ${epoch} ${padded(position)} ${root ?? UNKNOWN_ROOT} ${padded(reached)} ${highestId ?? '-'}`;
  return Buffer.from(`${text} ${digestOf(text)}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

function padded(position: number): string {
  return String(position).padStart(16, '0');
}

/** `undefined` where it is not whole. */
function decode(bytes: Buffer): Witness | undefined {
  const record = bytes.toString('latin1');
  const { groups = {} } = FORM_2.exec(record) ?? FORM_1.exec(record) ?? {};
  const { text = '', storeId = '', position, root, digest, epoch = FIRST_EPOCH } = groups;
  if (digest !== digestOf(text)) return undefined;
  const { reached = position, highestId = '-' } = groups;
  return {
    storeId,
    epoch,
    position: Number(position),
    root: root === UNKNOWN_ROOT ? undefined : root,
    reached: Number(reached),
    highestId: highestId === '-' ? undefined : BigInt(highestId),
  };
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 16);
}
