/** The snapshot of a store, in a file on this machine. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs';
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CLOCKS } from '../../app/clock.ts';
import type { PackedList } from '../../app/log/packed-fold.ts';
import type { LoadedSnapshot, Snapshots } from '../../app/ports/snapshots.ts';
import { DamagedStore } from '../../app/ports/store.ts';
import type { Pace } from '../checking/keep-checking.ts';
import { apart, together } from './packed-arrays.ts';
import { renewInThread } from './renewal.ts';

/** Raised whenever what is folded from the log changes, or how it is kept. */
const FORMAT = 9;

const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;
/** The bytes that are read at once to be digested. */
const PIECE_BYTES = 1_048_576;
/** A file that is written for longer than this was left behind by a process that was killed. */
const LEFTOVER_MS = 3_600_000;

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
  /** The root of the log's tree at the snapshot's position, in hexadecimal. */
  readonly log: string;
}

/** Returns the root of a log's tree at a position; `undefined` beyond its end. */
export type RootAt = (position: number) => Promise<Uint8Array | undefined>;

/** The store of a server, for the thread that renews the snapshot. */
export interface ServedStore {
  readonly engine: 'sqlite' | 'postgres';
  /** The store's file, or the address of its database. */
  readonly at: string;
}

/**
 * The snapshot of a store in a file: the SHA-256 of all that follows, the length of the structure, the
 * structure, and the bytes of its arrays. It is derived data, so it need not survive a power cut: a
 * torn file has another digest and is not used.
 */
export class SnapshotFile implements Snapshots {
  readonly #file: string;
  readonly #storeId: string;
  readonly #rootAt: RootAt;
  readonly #served: ServedStore | undefined;

  /**
   * @param file The snapshot's file.
   * @param served Absent for a snapshot that is not renewed here.
   */
  constructor(file: string, storeId: string, rootAt: RootAt, served?: ServedStore) {
    this.#file = file;
    this.#storeId = storeId;
    this.#rootAt = rootAt;
    this.#served = served;
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
    const due = await this.#originAt(list.image.position);
    for (const [part, expected] of Object.entries(due)) {
      if (origin[part as keyof Origin] !== expected) {
        return { kind: 'none', reason: `it belongs to another ${part}` };
      }
    }
    return { kind: 'found', list };
  }

  async save(list: PackedList): Promise<void> {
    const origin = await this.#originAt(list.image.position);
    const { structure, arrays } = apart({ origin, list } satisfies Snapshot);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(structure.length);
    const parts = [length, structure, ...arrays];
    const digest = createHash('sha256');
    for (const part of parts) digest.update(part);
    // Instances of a store in a database may share the file.
    const unfinished = `${this.#file}-new-${process.pid}`;
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await removeLeftovers(this.#file);
      await writeFile(unfinished, [digest.digest(), ...parts], { mode: 0o600 });
      await rename(unfinished, this.#file);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
  }

  renew(signal: AbortSignal): Promise<number> {
    if (this.#served === undefined) throw new Error('the snapshot is renewed elsewhere');
    const { engine, at } = this.#served;
    return renewInThread(engine, { at, storeId: this.#storeId, file: this.#file }, signal);
  }

  async #originAt(position: number): Promise<Origin> {
    const root = await this.#rootAt(position);
    const log = root === undefined ? '' : Buffer.from(root).toString('hex');
    return { format: FORMAT, version: VERSION, store: this.#storeId, log };
  }
}

/** Removes what writers that were killed have left behind. */
async function removeLeftovers(file: string): Promise<void> {
  const folder = dirname(file);
  const begins = `${basename(file)}-new`;
  for (const name of (await readdir(folder)).filter((each) => each.startsWith(begins))) {
    const path = join(folder, name);
    const written = await stat(path).catch(() => undefined);
    if (written !== undefined && CLOCKS.wall() - written.mtimeMs > LEFTOVER_MS) {
      await rm(path, { recursive: true, force: true });
    }
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

/** Returns the snapshot's file beside another file of a store. */
export function snapshotBeside(file: string): string {
  return `${file}-snapshot`;
}

/** Throws {@link DamagedStore} where a snapshot is not what was written. */
export async function checkSnapshot(name: string, pace: Pace): Promise<void> {
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
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  }
).version;
