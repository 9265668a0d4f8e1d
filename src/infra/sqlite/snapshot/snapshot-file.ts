/** The snapshot of a store in SQLite. */

import { createHash, hash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { PackedList } from '../../../app/log/packed-fold.ts';
import type { LoadedSnapshot, Snapshots } from '../../../app/ports/snapshots.ts';
import { DamagedStore } from '../../../app/ports/store.ts';
import type { Pace } from '../../checking/keep-checking.ts';
import { apart, together } from '../packed-arrays.ts';

/** Raised whenever what is folded from the log changes, or how it is kept. */
const FORMAT = 7;

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
/** The bytes that are read at once to be digested. */
const PIECE_BYTES = 1_048_576;

interface Snapshot {
  readonly origin: Origin;
  readonly list: PackedList;
}

/** The log and the program that a snapshot was made of. One of another origin is not used. */
interface Origin {
  readonly format: number;
  /** The program's version: what another one folds from the same events may differ. */
  readonly version: string;
  readonly store: string;
  /** The event at the snapshot's position, digested, or the digest of nothing. */
  readonly log: string;
}

/**
 * The snapshot of a store in SQLite, in a file beside it: the SHA-256 of all that follows, the
 * length of the structure, the structure, and the bytes of its arrays. It is derived data, so it
 * need not survive a power cut: a torn file has another digest and is not used.
 */
export class SnapshotFile implements Snapshots {
  readonly #file: string;
  readonly #storeId: string;
  readonly #event: Database.Statement;

  /**
   * @param file The store's file.
   * @param db A connection to it.
   */
  constructor(file: string, storeId: string, db: Database.Database) {
    this.#file = `${file}-snapshot`;
    this.#storeId = storeId;
    this.#event = db.prepare('SELECT * FROM events WHERE position = ?').raw();
  }

  async load(): Promise<LoadedSnapshot> {
    let snapshot: Snapshot | undefined;
    try {
      snapshot = read(this.#file);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'none', reason: code === 'ENOENT' ? 'there is none' : message };
    }
    if (snapshot === undefined) {
      // It is of no use, and the check of the store would find it and end a start that can do without.
      await rm(this.#file, { force: true });
      return { kind: 'none', reason: 'it is damaged' };
    }
    const { origin, list } = snapshot;
    for (const [part, expected] of Object.entries(this.#originAt(list.image.position))) {
      if (origin[part as keyof Origin] !== expected) {
        return { kind: 'none', reason: `it belongs to another ${part}` };
      }
    }
    return { kind: 'found', list };
  }

  async save(list: PackedList): Promise<void> {
    const origin = this.#originAt(list.image.position);
    const { structure, arrays } = apart({ origin, list } satisfies Snapshot);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(structure.length);
    const parts = [length, structure, ...arrays];
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part);
    const unfinished = `${this.#file}-new`;
    try {
      await writeFile(unfinished, [digest.digest(), ...parts], { mode: 0o600 });
      await rename(unfinished, this.#file);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  #originAt(position: number): Origin {
    const log = hash('sha256', JSON.stringify(this.#event.get(position) ?? ''));
    return { format: FORMAT, version: VERSION, store: this.#storeId, log };
  }
}

/** Returns the content of the file; `undefined` where its digest is another. */
function read(file: string): Snapshot | undefined {
  const fd = openSync(file, 'r');
  try {
    const [expected, length] = [Buffer.alloc(DIGEST_BYTES), Buffer.alloc(LENGTH_BYTES)];
    readSync(fd, expected);
    if (!digestOfRest(fd).equals(expected)) return undefined;
    readSync(fd, length, { position: DIGEST_BYTES });
    const structure = Buffer.alloc(length.readUInt32LE());
    readSync(fd, structure, { position: DIGEST_BYTES + LENGTH_BYTES });
    let position = DIGEST_BYTES + LENGTH_BYTES + structure.length;
    return together(structure, (array) => {
      readSync(fd, array, { position });
      position += array.byteLength;
    }) as Snapshot;
  } finally {
    closeSync(fd);
  }
}

/** Throws {@link DamagedStore} where the snapshot of a store's file is not what was written. */
export async function checkSnapshot(file: string, pace: Pace): Promise<void> {
  const name = `${file}-snapshot`;
  if (!existsSync(name)) return;
  const fd = openSync(name, 'r');
  try {
    const expected = Buffer.alloc(DIGEST_BYTES);
    readSync(fd, expected);
    const digest = createHash('sha256');
    const piece = Buffer.alloc(PIECE_BYTES);
    for (let bytes = readSync(fd, piece); bytes > 0; bytes = readSync(fd, piece)) {
      digest.update(piece.subarray(0, bytes));
      await pace(bytes);
    }
    if (digest.digest().equals(expected) || isReplaced(fd, name)) return;
    throw new DamagedStore(`${name} is damaged: delete it`);
  } finally {
    closeSync(fd);
  }
}

/** True if a file that was opened has been removed since, or has become another. */
function isReplaced(fd: number, name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.ino !== fstatSync(fd).ino;
}

function digestOfRest(fd: number): Buffer {
  const digest = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  for (let bytes = readSync(fd, piece); bytes > 0; bytes = readSync(fd, piece)) {
    digest.update(piece.subarray(0, bytes));
  }
  return digest.digest();
}

const VERSION = (
  JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
