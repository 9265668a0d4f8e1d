/**
 * The second look at a database that SQLite has called damaged. It says so, too, of a page that a
 * disk could not read: os_unix.c makes SQLITE_IOERR_CORRUPTFS of EIO, and vdbe.c SQLITE_CORRUPT of
 * that. A connection that has read nothing yet gets the first of the two.
 */

import Database from 'better-sqlite3';
import { CLOCKS } from '../../../app/clock.ts';
import { StoreUnavailable } from '../../../app/ports/store.ts';

/** The codes of reads that failed: of SQLite, and of a file beside the database. */
const FAILED_READ = /^(?:SQLITE_IOERR_(?:CORRUPTFS|READ|SHORT_READ)|EIO)$/;

/** The code of SQLITE_IOERR, in the lowest byte of each of its extended codes. */
const IOERR = 10;

/** Returns true if SQLite calls the database damaged, which a second look may refute. */
export function isSqliteDamage(error: unknown): error is Error {
  return (
    error instanceof Database.SqliteError && /^SQLITE_(?:CORRUPT|NOTADB|FORMAT)/.test(error.code)
  );
}

/**
 * The shortest time between two looks of a thread, in milliseconds. A look reads the whole file, about a
 * second for 256 MB, and a disk with a bad sector may be asked for it by every request.
 */
const LOOK_INTERVAL_MS = 30_000;

let lookedAtMs = Number.NEGATIVE_INFINITY;

/**
 * Returns the error for a read that has failed, which says nothing about the data: it may pass by
 * itself. `undefined` for any other error, such as damage that a second look confirms.
 */
export function failedReadOf(error: unknown, file: string): StoreUnavailable | undefined {
  const isFailed = isFailedRead(error) || (isSqliteDamage(error) && !isDamageConfirmed(file));
  return isFailed ? failedRead(file, error) : undefined;
}

function isDamageConfirmed(file: string): boolean {
  // The last look has confirmed none, or nobody would ask again.
  if (CLOCKS.elapsed() - lookedAtMs < LOOK_INTERVAL_MS) return false;
  const isConfirmed = isDamagedStill(file);
  lookedAtMs = isConfirmed ? Number.NEGATIVE_INFINITY : CLOCKS.elapsed();
  return isConfirmed;
}

/** Returns the result of reads. Throws {@link StoreUnavailable} if one of them fails. */
export function orFailedRead<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw failedReadOf(error, file) ?? error;
  }
}

/** Returns the problem that SQLite's own check finds first; throws for a page that cannot be read. */
export function problemIn(db: Database.Database, part = ''): string | undefined {
  const problem = db.pragma(`integrity_check(${part || 1})`, { simple: true }) as string;
  // "Tree 14 page 14: unable to get the page. error code=8458"
  const code = Number(/error code=(\d+)/.exec(problem)?.[1] ?? 0);
  if ((code & 0xff) === IOERR) throw failedRead(db.name, new Error(problem));
  return problem === 'ok' ? undefined : problem;
}

/** Returns false if a new connection finds the whole database in order, or fails to read it, too. */
function isDamagedStill(file: string, looks = 2): boolean {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
    return problemIn(db) !== undefined;
  } catch (error) {
    if (error instanceof StoreUnavailable || isFailedRead(error)) return false;
    // A read of this look may have failed, after its first one. Any other error, such as that too many
    // files are open, confirms nothing.
    return isSqliteDamage(error) && (looks === 1 || isDamagedStill(file, looks - 1));
  } finally {
    db?.close();
  }
}

function isFailedRead(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && FAILED_READ.test(code);
}

function failedRead(file: string, cause: unknown): StoreUnavailable {
  const message = `${file} cannot be read: a read from its disk has failed`;
  return new StoreUnavailable(new Error(message, { cause }));
}
