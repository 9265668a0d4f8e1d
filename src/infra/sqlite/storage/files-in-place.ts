import { statSync } from 'node:fs';

/** The shortest interval between two looks at the files, in milliseconds: a look takes 10 µs. */
const INTERVAL_MS = 100;

/**
 * The files of an open store: its own, and those that SQLite has beside it. What has a file open goes
 * on writing to it when it was removed, and the kernel frees it with the last that has it open
 * (unlink(2)): what is recorded then is lost with the process. SQLite itself looks for that only
 * where it writes without a `-wal` file (SQLITE_READONLY_DBMOVED).
 */
export class FilesInPlace {
  readonly #opened: ReadonlyMap<string, string | undefined>;
  #lookedAt = performance.now();

  /** @param file The store's file, which an open connection has read. */
  constructor(file: string) {
    this.#opened = new Map(['', '-wal', '-shm'].map((end) => [file + end, identityOf(file + end)]));
  }

  /** Throws {@link Displaced} if one of the files is not at its path any more. */
  require(): void {
    const now = performance.now();
    if (now - this.#lookedAt < INTERVAL_MS) return;
    for (const [file, identity] of this.#opened) {
      if (identity !== undefined && identityOf(file) !== identity) throw new Displaced(file);
    }
    this.#lookedAt = now;
  }
}

/** Thrown for an open file that was moved, removed or replaced. */
class Displaced extends Error {
  /** The system's code for a file handle without its file, by which the storage counts as failing. */
  readonly code = 'ESTALE';

  constructor(file: string) {
    super(`${file} was moved, removed or replaced while it was open`);
  }
}

/** Returns the device and the inode of a file; undefined if there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
