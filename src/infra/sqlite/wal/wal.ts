/** The `-wal` file of an open store, and the look at the files that SQLite has open. */

import { type BigIntStats, closeSync, fsyncSync, ftruncateSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { DamagedStore, StoreUnavailable } from '../../../app/ports/store.ts';
import { frameBytes, HEADER_BYTES } from './format.ts';
import { areWhole, hasCommitBehind, readHeader } from './guard.ts';

/** The shortest interval between two looks at the files, in milliseconds. */
const POLL_INTERVAL_MS = 100;

/** The state of the `-wal` file, in frames. */
export interface WalState {
  /** The committed frames. */
  readonly frames: number;
  /** The number of these that are in the store's file as well. */
  readonly checkpointed: number;
}

type Row = [busy: number, frames: number, checkpointed: number];

/** Controls the `-wal` file of an open store, over a connection of its own. */
export class Wal {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #noop: Database.Statement;
  readonly #passive: Database.Statement;
  readonly #frameBytes: number;
  /** The header of the file when all of it was last in the store's file. */
  #done: Buffer | undefined;
  /** The path and the identity of the store's file, its `-wal`, its `-shm` and the lock of its server. */
  readonly #opened: readonly (readonly [path: string, identity: string | undefined])[];
  #lookedAt = performance.now();

  /** Opens the `-wal` file of an existing store's file. */
  constructor(file: string) {
    this.#file = `${file}-wal`;
    this.#db = new Database(file, { timeout: 0, fileMustExist: true });
    this.#db.pragma('synchronous = FULL');
    // NOOP (SQLite 3.51) reports the state of the file without a checkpoint.
    this.#noop = this.#db.prepare('PRAGMA wal_checkpoint(NOOP)').raw();
    this.#passive = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').raw();
    this.#frameBytes = frameBytes({
      pageSize: this.#db.pragma('page_size', { simple: true }) as number,
    });
    this.#opened = ['', '-wal', '-shm', '-server'].map((end) => [
      file + end,
      identityOf(statOf(file + end)),
    ]);
  }

  /**
   * Throws {@link Displaced} if a file of the store is no longer at its path, and {@link
   * DamagedStore} if the `-wal` file lacks committed frames. Checks at most once every 100 ms.
   *
   * A process can write to a removed file as long as it has the file open. The kernel frees the file
   * when the last process closes it (unlink(2)), and the events recorded since are lost. SQLite
   * itself checks for that only in stores without a `-wal` file (SQLITE_READONLY_DBMOVED). A removed lock
   * lets a second server in.
   */
  requireInPlace(): void {
    const now = performance.now();
    if (now - this.#lookedAt < POLL_INTERVAL_MS) return;
    // Before the size is read: the file only grows.
    const { frames } = this.state();
    for (const [path, identity] of this.#opened) {
      const found = statOf(path);
      if (identity !== undefined && identityOf(found) !== identity) throw new Displaced(path);
      if (path === this.#file && frames > 0) requireSize(path, found, this.bytesOf(frames));
    }
    this.#lookedAt = now;
  }

  state(): WalState {
    return stateIn(this.#noop.get() as Row);
  }

  /**
   * Makes a passive checkpoint: copies committed frames into the store's file, durably, but for the
   * last ones if a reader still needs an older state of their pages. Returns the state after it;
   * `undefined` if another connection makes a checkpoint. Never waits. Throws if the disk cannot be
   * written.
   */
  checkpoint(): WalState | undefined {
    const row = this.#passive.get() as Row;
    if (row[0] !== 0) return undefined;
    const state = stateIn(row);
    if (state.frames === state.checkpointed) this.#done = readHeader(this.#file);
    return state;
  }

  /**
   * Returns true if a checkpoint would copy frames that are not as SQLite has written them. Never of a
   * file that was moved, removed or replaced: SQLite copies from the one it has open, in which alone the
   * frames are.
   */
  isDamaged(): boolean {
    const opened = this.#opened.find(([path]) => path === this.#file)?.[1];
    try {
      if (identityOf(statOf(this.#file)) !== opened) return false;
      const { frames, checkpointed } = this.state();
      return checkpointed < frames && !areWhole(this.#file, frames);
    } catch {
      // Nothing is lost by a checkpoint that is left to the next start.
      return true;
    }
  }

  /** Returns the size of a file with so many frames, in bytes. */
  bytesOf(frames: number): number {
    return HEADER_BYTES + frames * this.#frameBytes;
  }

  /**
   * Makes sure that a failed transaction cannot come back: a start would apply it if its last frame
   * was written before the failure. Truncates the file behind the committed frames, durably, which
   * needs no free space. If that fails, too, the missing last frame suffices. Must be called under
   * the write lock. Throws if the transaction may come back.
   */
  bury(): void {
    const { frames } = this.state();
    try {
      this.#cut(this.bytesOf(frames));
    } catch (error) {
      if (hasCommitBehind(this.#file, frames, this.#done)) throw error;
    }
  }

  #cut(bytes: number): void {
    if (statSync(this.#file).size <= bytes) return;
    const fd = openSync(this.#file, 'r+');
    try {
      ftruncateSync(fd, bytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  close(): void {
    this.#db.close();
  }
}

/** The connections of {@link keepWalApart}: one that is collected as garbage is closed. */
const APART: Database.Database[] = [];

/**
 * Keeps the damaged `-wal` file of a store apart from the store's file, until this process ends: SQLite
 * would copy its frames there when the last connection is closed. The connection that is opened for that
 * is never closed, and copies nothing at the end of the process, because it can only read.
 */
export function keepWalApart(file: string): void {
  try {
    const db = new Database(file, { readonly: true, fileMustExist: true });
    APART.push(db);
    // To lock the file suffices, even if what is read makes no sense.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } catch {
    // The start will say so.
  }
}

// For a file that is about to be restarted, SQLite may report −1.
function stateIn([, frames, checkpointed]: Row): WalState {
  return { frames: Math.max(frames, 0), checkpointed: Math.max(checkpointed, 0) };
}

/** Thrown for an open file that was moved, removed or replaced. */
class Displaced extends StoreUnavailable {
  /** The system's code for a handle without its file: the storage counts as failing. */
  readonly code = 'ESTALE';

  constructor(path: string) {
    super(new Error(`${path} was moved, removed or replaced while it was open`));
  }
}

function statOf(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** Returns the device and the inode of a file; undefined if there is none. */
function identityOf(found: BigIntStats | undefined): string | undefined {
  return found && `${found.dev}:${found.ino}`;
}

function requireSize(path: string, found: BigIntStats | undefined, bytes: number): void {
  const size = found?.size ?? 0n;
  if (size >= bytes) return;
  throw new DamagedStore(`${path} was cut to ${size} bytes, and had ${bytes} in use`);
}
