import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
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
  /** The store's id. */
  readonly storeId: string;
  head(): Head;
  /** The root of its first so many events; `undefined` where it cannot be told. */
  rootAt(position: number): string | undefined;
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

  private constructor(fd: number, storeId: string) {
    this.#fd = fd;
    this.#storeId = storeId;
  }

  /**
   * Opens the head of a store's file, and makes it if it is not there. Throws {@link CannotStart}
   * where the log is shorter than it was, or another one. Everything in the log must be durable.
   */
  static open(file: string, log: Log): HeadFile {
    const name = `${file}-head`;
    const { fd, isNew } = openOrMake(name);
    try {
      // Before the log's own head is asked for: somebody else may be appending.
      const kept = newestOf(recordsIn(fd));
      if (kept !== undefined) refuseOtherLog(file, name, kept, log);
      const headFile = new HeadFile(fd, log.storeId);
      headFile.write(log.head());
      if (isNew) syncNew(name, fd);
      return headFile;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Notes a head that is on the disk. One that is behind what is noted already changes nothing. */
  write(head: Head): void {
    const kept = recordsIn(this.#fd).map((record) => record?.position ?? -1);
    const oldest = (kept[0] as number) <= (kept[1] as number) ? 0 : 1;
    if (head.position <= (kept[1 - oldest] as number)) return;
    const record = encode({ ...head, storeId: this.#storeId });
    writeSync(this.#fd, record, 0, RECORD_BYTES, oldest * RECORD_BYTES);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

interface HeadRecord extends Head {
  readonly storeId: string;
}

function refuseOtherLog(file: string, name: string, kept: HeadRecord, log: Log): void {
  const wayOut = `If you have put a backup in its place, delete ${name} and start again. If not, restore one.`;
  if (kept.storeId !== log.storeId) {
    throw new CannotStart(`${name} belongs to another store than ${file}. ${wayOut}`);
  }
  const { position } = log.head();
  if (position < kept.position) {
    throw new CannotStart(
      `The log in ${file} ends at position ${position}, and position ${kept.position} was ` +
        `acknowledged: events are lost. ${wayOut}`,
    );
  }
  const root = log.rootAt(kept.position);
  if (root !== undefined && kept.root !== UNKNOWN_ROOT && root !== kept.root) {
    throw new CannotStart(
      `The log in ${file} is not the one that was acknowledged up to position ` +
        `${kept.position}: its events have changed. ${wayOut}`,
    );
  }
}

function openOrMake(name: string): { fd: number; isNew: boolean } {
  for (;;) {
    try {
      return { fd: openSync(name, 'r+'), isNew: false };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    try {
      return { fd: openSync(name, 'wx+', 0o600), isNew: true };
    } catch (error) {
      // Somebody else has just made it.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

// An older one may have been deleted on purpose: a power cut must not bring it back.
function syncNew(name: string, fd: number): void {
  fsyncSync(fd);
  const folder = openSync(dirname(name), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

function recordsIn(fd: number): readonly (HeadRecord | undefined)[] {
  const bytes = Buffer.alloc(RECORDS * RECORD_BYTES);
  readSync(fd, bytes, 0, bytes.length, 0);
  return [0, 1].map((n) => decode(bytes.subarray(n * RECORD_BYTES, (n + 1) * RECORD_BYTES)));
}

function newestOf(records: readonly (HeadRecord | undefined)[]): HeadRecord | undefined {
  const whole = records.filter((record) => record !== undefined);
  return whole.sort((one, other) => other.position - one.position)[0];
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
