/** The `-wal` file of an open store. */

import { closeSync, fsyncSync, ftruncateSync, openSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { frameBytes, HEADER_BYTES } from './format.ts';
import { hasCommitBehind, readHeader } from './guard.ts';

/** A state of the `-wal` file, in frames; each holds a page. */
export interface WalState {
  /** The committed ones. */
  readonly frames: number;
  /** Those of them that are in the store's file as well. */
  readonly checkpointed: number;
}

type Row = [busy: number, frames: number, checkpointed: number];

/** The `-wal` file of a store that is open, over a connection of its own. */
export class Wal {
  readonly #file: string;
  readonly #db: Database.Database;
  readonly #noop: Database.Statement;
  readonly #passive: Database.Statement;
  readonly #frameBytes: number;
  /** The header of the file when all of it was last found in the store's file. */
  #done: Buffer | undefined;

  /** Opens it for a store's file, which is there. */
  constructor(file: string) {
    this.#file = `${file}-wal`;
    this.#db = new Database(file, { timeout: 0, fileMustExist: true });
    this.#db.pragma('synchronous = FULL');
    // NOOP came with SQLite 3.51: it says how far the file has come, and does nothing.
    this.#noop = this.#db.prepare('PRAGMA wal_checkpoint(NOOP)').raw();
    this.#passive = this.#db.prepare('PRAGMA wal_checkpoint(PASSIVE)').raw();
    this.#frameBytes = frameBytes({
      pageSize: this.#db.pragma('page_size', { simple: true }) as number,
    });
  }

  state(): WalState {
    return stateIn(this.#noop.get() as Row);
  }

  /**
   * Copies what nobody needs in the `-wal` file into the store's file, durably, and returns how far
   * it has come: the last frames stay where a reader still needs what the store's file has in their
   * place. `undefined` where somebody else is at it. Waits for nobody. Throws where the disk
   * refuses.
   */
  checkpoint(): WalState | undefined {
    const row = this.#passive.get() as Row;
    if (row[0] !== 0) return undefined;
    const state = stateIn(row);
    if (state.frames === state.checkpointed) this.#done = readHeader(this.#file);
    return state;
  }

  /** The bytes of so many frames, with the header. */
  bytesOf(frames: number): number {
    return HEADER_BYTES + frames * this.#frameBytes;
  }

  /**
   * Sees to it that nothing of a transaction that failed can come back: a start would take it over
   * where its last frame was written before the failure. What it has left behind the committed
   * frames is cut off, durably, which needs no room; where the disk takes no change at all, it is
   * enough that its last frame is not there. To be called by whoever holds the write lock, so that
   * nobody else is writing there. Throws where it may come back.
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

// A file that is about to be begun again says -1, or that all of it is in the store's file already.
function stateIn([, frames, checkpointed]: Row): WalState {
  return { frames: Math.max(frames, 0), checkpointed: Math.max(checkpointed, 0) };
}
