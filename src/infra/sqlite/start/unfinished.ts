/** The change that a killed process has left half done in a store's file, and its `-journal`. */

import { existsSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { APPLICATION_ID } from '../schema.ts';
import { reading } from '../wal/guard.ts';

/** The first bytes of a `-journal` that undoes something (https://sqlite.org/fileformat.html, section 3). */
const JOURNAL_MAGIC = 'd9d505f920a163d7';

/** The place of the application id in a database, and that of its former size in a `-journal`, in bytes. */
const [ID_AT, FORMER_PAGES_AT] = [68, 16];

/**
 * Undoes the change of a process that was killed before the file had its first `-wal`: while it made a new
 * store, or continued a backup. SQLite has the old pages in a `-journal`, and only a connection that can
 * write puts them back, at its first read. Throws {@link UserError} for a change of another program.
 */
export function undoUnfinished(file: string): void {
  if (!existsSync(`${file}-journal`) || !existsSync(file)) return;
  refuseOtherJournal(file);
  // With a `-wal`, closing the connection would move its frames into the file: see readLog.
  if (existsSync(`${file}-wal`)) return;
  const db = new Database(file, { fileMustExist: true });
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

/**
 * Throws unless the change is one of this program: the first of a new file, which has no application id
 * before its first `-wal`, or a later one of a store.
 */
function refuseOtherJournal(file: string): void {
  // The file first: a process that makes the store sets the id behind the end of its `-journal`.
  const database = readStart(file, ID_AT + 4);
  const journal = readStart(`${file}-journal`, FORMER_PAGES_AT + 4);
  if (journal?.toString('hex', 0, 8) !== JOURNAL_MAGIC || database === undefined) return;
  const id = database.readUInt32BE(ID_AT);
  const makesEmpty = journal.readUInt32BE(FORMER_PAGES_AT) === 0;
  if (id === APPLICATION_ID && makesEmpty) {
    throw new UserError(
      `${file}-journal belongs to a file that was new, and would make ${file} empty. Move it away.`,
    );
  }
  if (id !== APPLICATION_ID && !(id === 0 && makesEmpty)) {
    throw new UserError(`${file} is a database of another program. Nothing was changed.`);
  }
}

/**
 * Returns the first bytes of a file; `undefined` if it has fewer, or is gone: another process that was
 * making the store has removed its `-journal`.
 */
function readStart(file: string, length: number): Buffer | undefined {
  return reading(file, (fd) => {
    const bytes = Buffer.alloc(length);
    return readSync(fd, bytes, { position: 0 }) === length ? bytes : undefined;
  });
}
