/** The file of a store by its name: the files that are there, before any is opened. */

import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { asUserError, UserError } from '../../app/lifecycle/user-error.ts';
import { storageHint } from './storage/fault.ts';
import { failedReadOf, isSqliteDamage } from './storage/second-look.ts';

const CHECK = 'Check DATABASE_URL.';
const CHECK_LINK = `${CHECK} For a new store, make an empty file there.`;
const RESTORE = 'Keep the damaged files, and restore a backup.';
/** No backup has the refusals, and to go back to one would lose events. */
const SET_ASIDE = 'It has only refused requests: move it away, with its -wal and -shm file.';

/** The ends of the names of the files beside a store's that a start opens. */
const BESIDE = ['-wal', '-shm', '-journal', '-refusals', '-head', '-snapshot'];

/** The ends for a check, which reports a head file that cannot be read, and never waits for it. */
export const BESIDE_CHECKED = BESIDE.filter((end) => end !== '-head');

/**
 * Returns the name of the file that a name leads to through symbolic links. SQLite follows them, and has
 * its `-wal` beside the file itself: so are the others, or a store would have two of each. Throws
 * {@link UserError} for a link to nothing: the disk may not be mounted, and a new store would be made.
 * @param remedy The advice on such a link.
 */
export function fileBehind(name: string, remedy = CHECK_LINK): string {
  if (!isLink(name)) return name;
  try {
    return realpathSync(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotOpen(error, name);
    throw new UserError(
      `${name} is a link to ${readlinkSync(name)}, which is not there. ${remedy}`,
    );
  }
}

function isLink(name: string): boolean {
  try {
    return lstatSync(name, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    // Whatever it is, it cannot be opened, which is reported then.
    return false;
  }
}

/**
 * Throws {@link UserError} if there is no file, or an empty one. Opens and creates nothing.
 * @param beside As of {@link statStore}.
 */
export function requireStore(file: string, beside = BESIDE): void {
  const found = statStore(file, beside);
  if (found === undefined) throw noStore(file);
  if (found.size === 0) throw new NoStore(`${file} is empty: there is no store in it. ${CHECK}`);
}

/** Thrown where no store is made: there is no file, or one in which a store was only begun. */
export class NoStore extends UserError {}

/** Returns the error of a command that makes no store. */
export function noStore(file: string): NoStore {
  return new NoStore(`There is no store ${file}. ${CHECK}`);
}

/**
 * Throws {@link UserError} for anything else than a file, also beside the store's: to open a pipe may
 * take for ever. So for a store's file with a second name: SQLite has a log and locks of their own for
 * each, and events would be lost (https://sqlite.org/howtocorrupt.html, section 2.5).
 * @param beside The ends of the names of the files beside it that must be none of these.
 * @param remedy The advice on anything else than a file.
 */
export function statStore(file: string, beside = BESIDE, remedy = CHECK): Stats | undefined {
  const found = requirePlain(file, remedy);
  if (found?.isFile() && found.nlink > 1) {
    throw new UserError(
      `${file} has ${found.nlink} names (hard links), and must have one: remove the others, or copy it.`,
    );
  }
  for (const suffix of beside) requirePlain(`${file}${suffix}`, 'Move it away.');
  return found;
}

function requirePlain(file: string, remedy: string): Stats | undefined {
  const found = stat(file);
  if (found === undefined || found.isFile()) return found;
  const what = found.isDirectory() ? 'a folder' : 'no regular file';
  throw new UserError(`${file} cannot be opened: it is ${what}. ${remedy}`);
}

function stat(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotOpen(error, file);
  }
}

/**
 * Returns the error to throw when a store's file cannot be opened, or not read.
 * @param damaged The advice on a file that is damaged.
 */
export function cannotOpen(
  error: unknown,
  file: string,
  verb = 'opened',
  damaged = file.endsWith('-refusals') ? SET_ASIDE : RESTORE,
): UserError {
  return asUserError(error, ({ message }) => {
    const failed = failedReadOf(error, file);
    if (failed !== undefined) return failed.message;
    const code = error instanceof Database.SqliteError ? error.code : undefined;
    if (code === 'SQLITE_NOTADB') return `${file} is not a SQLite database.`;
    // Only `verify` gets this of a folder that can be written: it changes nothing.
    if (code === 'SQLITE_READONLY_ROLLBACK')
      return unfinished(file, verb) + storageHint(error, file);
    const shown = code === undefined ? '' : ` (${code})`;
    const hint = isSqliteDamage(error) ? ` ${damaged}` : storageHint(error, file);
    return `${file} cannot be ${verb}: ${message}${shown}.${hint}`;
  });
}

/**
 * Returns the error of work on an open store as a user of commands is to see it: the words of SQLite name
 * no file. Returns any other error unchanged, such as one that has put them into words of its own.
 */
export function namingFile(error: unknown, file: string): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof UserError || cause.message !== (error as Error).message) break;
    if (cause instanceof Database.SqliteError) return cannotOpen(cause, file, 'used');
  }
  return error;
}

/** Returns the result of work on a file. Its errors are as {@link namingFile} returns them. */
export function named<Result>(file: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw namingFile(error, file);
  }
}

function unfinished(file: string, verb: string): string {
  // Few commands open the file of refusals. This one opens a store of such a name, too.
  const command = file.endsWith('-refusals') ? 'audit refusals' : 'keys list';
  return (
    `${file} cannot be ${verb}: a process was killed while it changed the file, and ${file}-journal has ` +
    `to undo that first: run another command, such as store-orders ${command}.`
  );
}
