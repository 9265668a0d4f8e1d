import Database from 'better-sqlite3';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { PackedImage } from '../../app/log/packed-fold.ts';
import type { Store, StoreWatcher } from '../../app/ports/store.ts';
import { openDatabase } from './database.ts';
import { isCopy } from './epochs-table.ts';
import { refuseOtherLog } from './head-file.ts';
import { refuseForeignFile } from './migrations.ts';
import { type Readers, readersOf } from './parts.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { logIn } from './start/guard.ts';
import { hasRoom, storageFaultOf } from './storage/fault.ts';
import { cannotOpen, NoStore } from './store-file.ts';
import type { Waiting, WorkerWriter } from './worker-writer.ts';

/** The interval between attempts to write, in milliseconds. */
const RETRY_INTERVAL_MS = 1_000;

/** The least free space for an attempt: for the index of the `-wal` file and the first commits. */
const MIN_ROOM_BYTES = 131_072;

/** Returns a part with some methods of its own, and those of the part that `now` returns at each call. */
function present<Part extends object>(now: () => Part, own: Partial<Part> = {}): Part {
  const get = (_: Part, name: string | symbol) => {
    const method = Reflect.get(own, name);
    if (method !== undefined) return method;
    return (...given: unknown[]) => {
      const part = now();
      return (Reflect.get(part, name) as (...all: unknown[]) => unknown).apply(part, given);
    };
  };
  return new Proxy({} as Part, { get });
}

/**
 * A store whose file can be read, but not written, when a server starts: on a full disk, on one
 * that is mounted read-only, over a quota. Reading it requires none of the writes of a start. When
 * it can be written again, the writer opens it as at any other start.
 *
 * If not even the index of the `-wal` file can be made (32 KiB, which every process that uses the
 * store shares), the store is read with an index in this process's memory. That is SQLite's mode
 * `locking_mode=EXCLUSIVE` (sqlite.org/wal.html, "Use of WAL Without Shared-Memory"): meanwhile no
 * other process can open it, and so none can change it. The mode ends as soon as there is room for
 * the index.
 */
export class WaitingStore {
  readonly #file: string;
  readonly #writer: WorkerWriter;
  readonly #watcher: StoreWatcher;
  #waiting: Waiting | undefined;
  #readers: Readers;
  #isAlone: boolean;
  /** Copies the image of all orders, as it is at that time, for the start of the writer. */
  #image: (() => PackedImage) | undefined;
  #snapshotKey: Uint8Array | undefined;
  #timer: NodeJS.Timeout | undefined;
  #trying: Promise<void> = Promise.resolve();
  #isClosed = false;
  readonly #watches = new Set<{ readonly grown: () => void; stop: () => void }>();

  /** Throws {@link UserError} if the store cannot be read either, or must not be served. */
  constructor(file: string, writer: WorkerWriter, watcher: StoreWatcher, waiting: Waiting) {
    this.#file = file;
    this.#writer = writer;
    this.#watcher = watcher;
    this.#waiting = waiting;
    const { db, isAlone } = openMade(file, waiting);
    this.#isAlone = isAlone;
    try {
      refuseUnfit(file, db, waiting);
      this.#readers = readersOf(file, db);
    } catch (error) {
      db.close();
      throw error;
    }
    watcher.impaired(waiting.reason, waiting.cause);
    this.#later();
  }

  /** The read side, which uses the connection that is open at each call. */
  get readers(): Readers {
    const now = () => this.#readers;
    return {
      id: this.#readers.id,
      epochs: this.#readers.epochs,
      log: present(() => now().log, { watch: (grown) => this.#watch(grown) }),
      foldSource: { next: (after, take) => now().foldSource.next(after, take) },
      trail: present(() => now().trail),
      keys: present(() => now().keys),
      signingKeys: present(() => now().signingKeys),
      snapshots: present(() => now().snapshots, {
        sealWith: (key) => {
          this.#snapshotKey = key;
          now().snapshots.sealWith(key);
        },
      }),
    };
  }

  /** See {@link Store.begin}. The writer begins when the file can be written. */
  readonly begin: Store['begin'] = async (start) => {
    this.#image = () => start.packImage();
    if (this.#waiting === undefined) await this.#writer.begin(this.#image());
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#trying;
    await this.#writer.close();
    await this.#readers.log.close();
  }

  #watch(grown: () => void): () => void {
    const watch = { grown, stop: this.#readers.log.watch(grown) };
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      watch.stop();
    };
  }

  #later(): void {
    this.#timer = setTimeout(() => {
      this.#trying = this.#tryAgain();
    }, RETRY_INTERVAL_MS);
  }

  async #tryAgain(): Promise<void> {
    try {
      if (hasRoom(this.#file, MIN_ROOM_BYTES)) {
        this.#readAnew();
        if (!this.#isAlone) await this.#open();
      }
    } catch (error) {
      // The first attempt to write may reveal that the store must not be served.
      this.#watcher.lost(error as Error);
      return;
    }
    if (!this.#isClosed && this.#waiting !== undefined) this.#later();
  }

  /** Makes the writer open the store, and begin with the image. */
  async #open(): Promise<void> {
    const before = this.#waiting as Waiting;
    const waiting = await this.#writer.reopen();
    if (waiting === undefined && this.#image !== undefined) {
      await this.#writer.begin(this.#image());
    }
    this.#waiting = waiting;
    if (waiting?.reason === before.reason) return;
    this.#watcher.mended(before.reason);
    if (waiting !== undefined) this.#watcher.impaired(waiting.reason, waiting.cause);
  }

  /**
   * Replaces the connection of all readers by one that does not exclude others. If the disk could
   * not be written, the old one also has opened the index read-only, and SQLite shares that among
   * all connections of a process. Synchronous, so that no read comes in between.
   */
  #readAnew(): void {
    void this.#readers.log.close();
    const { db, isAlone } = openToRead(this.#file);
    this.#isAlone = isAlone;
    this.#readers = readersOf(this.#file, db);
    if (this.#snapshotKey !== undefined) this.#readers.snapshots.sealWith(this.#snapshotKey);
    for (const watch of this.#watches) watch.stop = this.#readers.log.watch(watch.grown);
  }
}

interface Opened {
  readonly db: Database.Database;
  readonly isAlone: boolean;
}

/** Opens a connection as {@link openToRead} does, unless the store has yet to be made. */
function openMade(file: string, { cause }: Waiting): Opened {
  try {
    return openToRead(file);
  } catch (error) {
    throw error instanceof NoStore ? noneYet(cause) : error;
  }
}

/** @param cause The fault of the storage, in a sentence with the name of the file. */
function noneYet(cause: Error): UserError {
  const text = `There is no store yet, and none can be made: ${cause.message}`;
  return new UserError(text, { cause });
}

/** Opens a connection to read. It excludes others if there is no room for the shared index. */
function openToRead(file: string): Opened {
  let shared: unknown;
  try {
    return { db: openDatabase(file, () => {}, 'refuse'), isAlone: false };
  } catch (error) {
    if (storageFaultOf(error, file) === undefined) throw error;
    shared = error;
  }
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { fileMustExist: true });
    // Before the first read: SQLite then keeps the index in memory instead of a file.
    db.pragma('locking_mode = EXCLUSIVE');
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { db, isAlone: true };
  } catch (error) {
    db?.close();
    // A file that cannot be written cannot be locked either, which is not the reason.
    throw storageFaultOf(error, file) === undefined ? cannotOpen(error, file) : shared;
  }
}

/** Throws if the store could not be served even if it could be written. */
function refuseUnfit(file: string, db: Database.Database, { cause }: Waiting): void {
  const version = refuseForeignFile(db, file);
  if (version === 0) throw noneYet(cause);
  if (version !== SCHEMA_VERSION) {
    throw new UserError(
      `${file} has schema ${version} and cannot be brought up to ${SCHEMA_VERSION}: ` +
        cause.message,
    );
  }
  refuseOtherLog(file, (at) => logIn(db, at));
  if (isCopy(db))
    throw new UserError(`${file} is a backup and cannot be continued: ${cause.message}`);
}
