/** The writing of files: new ones as a whole, and reports over those of the last time. */

import { randomBytes } from 'node:crypto';
import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Composition } from './command-line.ts';

interface Writing {
  /** True to replace an existing file; absent for a command without that option. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Throws {@link UserError} for an existing path; with `force`, only for one that is not a file.
 */
export function requireNew(file: string, force?: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined || (force && there.isFile())) return;
  const wayOut = force === false ? ' --force replaces it.' : '';
  throw new UserError(`${file} is there already and was left as it is.${wayOut}`);
}

/**
 * Returns the file that a symbolic link leads to, even if that is not there yet; of any other file its
 * name. Whoever replaces or locks a file needs it: a link has a name of its own.
 */
export function targetOf(file: string): string {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  // Throws for links in a circle, which lead to no file.
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  return targetOf(resolve(realpathSync(dirname(file)), readlinkSync(file)));
}

/**
 * Writes a file as a whole or not at all, readable by its owner only. Of a symbolic link, the file that
 * it leads to is replaced. Call {@link requireNew} before the work that makes the text, too.
 */
export async function writeWhole(
  file: string,
  text: Iterable<string> | AsyncIterable<string>,
  { force, signal }: Writing = {},
): Promise<void> {
  const cannot = refusalOf(file);
  await writeBeside(file, text, signal, async (unfinished, target) => {
    requireNew(file, force);
    await rename(unfinished, target).catch(cannot);
  });
}

/** Throws {@link UserError} if {@link writeWhole} cannot write a text now, such as on a full disk. */
export async function tryWhole(file: string, text: string): Promise<void> {
  await writeBeside(file, [text], undefined, (unfinished) => rm(unfinished));
}

/** Writes a text to a new file beside `file`, and flushes it. That file is removed if anything throws. */
async function writeBeside(
  file: string,
  text: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal | undefined,
  done: (unfinished: string, target: string) => Promise<void>,
): Promise<void> {
  const cannot = refusalOf(file);
  const target = targetOf(file);
  const unfinished = `${target}.unfinished-${randomBytes(4).toString('hex')}`;
  const handle = await open(unfinished, 'wx', 0o600).catch(cannot);
  try {
    for await (const part of text) {
      signal?.throwIfAborted();
      await handle.appendFile(part).catch(cannot);
    }
    await handle.sync().catch(cannot);
    await done(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Does work while a file that it replaces is locked, by one beside it. Throws {@link UserError}: with the
 * message `taken`, or if its folder cannot be written with one that names the file and not the lock.
 * @param work Receives the file as {@link targetOf} returns it.
 */
export async function whileLocked<Result>(
  file: string,
  lock: Composition['lock'],
  taken: string,
  work: (target: string) => Promise<Result>,
  waitMs?: number,
): Promise<Result> {
  const target = targetOf(file);
  requireAccess(file, folderOf(target));
  const unlock = await lock(`${target}-lock`, taken, waitMs);
  try {
    return await work(target);
  } finally {
    unlock();
  }
}

/**
 * Throws {@link UserError} if a file cannot be written: call it before the work that makes the text.
 * A device or a pipe can be written, too.
 */
export function requireWritable(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isDirectory()) refusalOf(file)(new Error('it is a folder'));
  requireAccess(file, there === undefined ? folderOf(file) : file);
}

/** Returns the folder of a file. The dot: it has to be one. */
function folderOf(file: string): string {
  return `${dirname(file)}/.`;
}

function requireAccess(file: string, place: string): void {
  try {
    accessSync(place, constants.W_OK);
  } catch (error) {
    refusalOf(file)(error as Error);
  }
}

/** Writes a file over what is there, if anything is. */
export async function writeOver(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch(refusalOf(file));
}

function refusalOf(file: string): (error: Error) => never {
  return (error) => {
    throw unwritable(file, error);
  };
}

/** Returns the error of a command that cannot write a file. */
export function unwritable(file: string, error: unknown): UserError {
  return new UserError(`${file} cannot be written: ${(error as Error).message}`);
}
