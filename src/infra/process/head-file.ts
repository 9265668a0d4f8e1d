/**
 * The head file, outside the database. It has two records of text that a person can read: "head 2 <store>
 * <epoch> <position> <root> <reached> <highest id> <digest of all that>". Format 1 had neither
 * epochs nor the highest position reached.
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
import type { AcknowledgedHead } from '../../app/log/acknowledged-head.ts';
import { epochNumberOf, FIRST_EPOCH } from '../../app/log/epochs.ts';
import { highestOf } from '../../app/log/recorded-event.ts';
import { syncFolder } from './sync-folder.ts';

/** Stands for an unknown root. */
export const UNKNOWN_ROOT = '0'.repeat(64);

/** The size of a record, in bytes: one sector, which a disk writes atomically. */
const RECORD_BYTES = 512;
const RECORDS = 2;

/** The head of a log: the position of its newest event, 0 if there is none, and the root there. */
type Head = Pick<AcknowledgedHead, 'position' | 'root'>;

/** The records of a file; `undefined` for one that is invalid. */
type Records = readonly (AcknowledgedHead | undefined)[];

/**
 * The file of a {@link AcknowledgedHead}.
 *
 * It is written after each commit, when that is on the disk, and is not flushed. So after a power
 * cut it may be behind the log but never ahead: a log that is shorter has lost events. The two
 * records are written in turn, so that a torn write leaves the other one. Each write replaces the
 * older record, whichever process wrote it, because commands append beside the server. Only the
 * first record is flushed, with the new file: from then on one is valid.
 */
export class HeadFile {
  readonly #fd: number;
  readonly #storeId: string;
  readonly #epoch: string;
  readonly #contents: Contents;
  /** The records in the file. */
  #records: Records = [];
  #highestId = 0n;
  #due: { readonly head: Head; readonly cause: Error } | undefined;

  /** Opens or creates a file. */
  constructor(name: string, storeId: string, epoch = FIRST_EPOCH) {
    const isNew = !existsSync(name);
    this.#fd = openSync(name, constants.O_RDWR | constants.O_CREAT, 0o600);
    // A previous file may have been deleted on purpose: a power cut must not restore it.
    if (isNew) syncFolder(dirname(name));
    this.#contents = new Contents(this.#fd);
    this.#storeId = storeId;
    this.#epoch = epoch;
  }

  /**
   * Notes a head that is on the disk. A newer one that is noted already stays: the older of the two
   * records is replaced.
   * @param highestId The highest id of an order among the events appended with it.
   */
  write(head: Head, highestId = 0n): void {
    // Reading the bytes is cheap, parsing is not, and other processes seldom change them.
    if (this.#contents.haveChanged()) this.#records = recordsIn(this.#contents.bytes);
    if (highestId > this.#highestId) this.#highestId = highestId;
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
    if (latest === undefined) fsyncSync(this.#fd);
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

  close(): void {
    closeSync(this.#fd);
  }
}

/** Returns the newest head in a file; `undefined` if there is none that is valid. */
export function readHeadFile(name: string): AcknowledgedHead | undefined {
  if (!existsSync(name)) return undefined;
  const fd = openSync(name, 'r');
  try {
    const contents = new Contents(fd);
    contents.haveChanged();
    const records = recordsIn(contents.bytes);
    const latest = latestOf(records);
    return latest && { ...latest, highestId: highestIdIn(records) };
  } finally {
    closeSync(fd);
  }
}

/** Replaces the head in a file, durably and atomically. */
export function replaceHeadFile(name: string, acknowledged: AcknowledgedHead): void {
  const unfinished = `${name}-new`;
  writeFileSync(unfinished, encode(acknowledged), { mode: 0o600, flush: true });
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

/** Returns true if one is of a later epoch than the other, or further on in the same one. */
function isAhead(one: AcknowledgedHead | undefined, other: AcknowledgedHead | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  if (one.epoch === other.epoch) return one.position > other.position;
  const epochs = epochNumberOf(one.epoch) - epochNumberOf(other.epoch);
  return epochs === 0 ? one.position > other.position : epochs > 0;
}

/**
 * Returns the highest id in both records and a given one. The older record can have it: a process may
 * note a head late, when another has noted a newer one. Records of older versions lack the ids,
 * so they are unknown.
 */
function highestIdIn(records: Records, given = 0n): bigint | undefined {
  const ids = records.filter((record) => record !== undefined).map(({ highestId }) => highestId);
  const known = ids.filter((id) => id !== undefined);
  return known.length < ids.length ? undefined : highestOf([given, ...known]);
}

/** Returns the record that is ahead of the other. */
function latestOf([first, second]: Records): AcknowledgedHead | undefined {
  return isAhead(first, second) ? first : second;
}

function recordsIn(bytes: Buffer): Records {
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

const FORM_1 =
  /^(?<text>head 1 (?<storeId>[0-9a-f]{16}) (?<position>\d{16}) (?<root>[0-9a-f]{64})) (?<digest>[0-9a-f]{16})\s*$/;
const FORM_2 =
  /^(?<text>head 2 (?<storeId>[0-9a-f]{16}) (?<epoch>\S{1,48}) (?<position>\d{16}) (?<root>[0-9a-f]{64}) (?<reached>\d{16}) (?<highestId>\d{1,19}|-)) (?<digest>[0-9a-f]{16})\s*$/;

/** Returns a record as bytes. */
function encode({ storeId, epoch, position, root, reached, highestId }: AcknowledgedHead): Buffer {
  const text = `head 2 ${storeId} ${epoch} ${padded(position)} ${root ?? UNKNOWN_ROOT} ${padded(reached)} ${highestId ?? '-'}`;
  return Buffer.from(`${text} ${digestOf(text)}`.padEnd(RECORD_BYTES - 1).concat('\n'));
}

function padded(position: number): string {
  return String(position).padStart(16, '0');
}

/** Parses a record; returns `undefined` if it is invalid. */
function decode(bytes: Buffer): AcknowledgedHead | undefined {
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
