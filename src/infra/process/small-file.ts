/**
 * Small files that users name: keys, checkpoints, policies, settings. A name may by mistake be that of a
 * device without an end, or of a huge file, so at most a megabyte is read; or that of a pipe into which
 * nobody writes, so no named pipe is read.
 */

import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { UserError } from '../../app/lifecycle/user-error.ts';

/** The longest file: no receipt, checkpoint, policy or public key is nearly as long. */
const MAX_BYTES = 1 << 20;
const CHUNK_BYTES = 1 << 16;

/** The names of pipes that a shell opens for this process, as `<(…)` does: they have a writer. */
const INHERITED = /^\/(?:dev\/stdin|(?:dev|proc\/self)\/fd\/\d+)$/;
/**
 * The flags that open a file without waiting. A pipe is otherwise opened only when somebody writes into it,
 * and no signal ends that.
 */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/** Thrown for a file that is longer than any of its kind. */
export class TooLong extends Error {}

/**
 * Returns the exact text of a small file: nothing is dropped or replaced, and no more than a
 * megabyte is read, however long the file is. Throws an Error with the reason if it cannot be read.
 */
export function readSmallFile(file: string): string {
  const text = readBounded(file, MAX_BYTES);
  if (!isUtf8(text)) throw new Error('it is not UTF-8');
  return text.toString();
}

/** Returns the text of {@link readSmallFile}. Throws {@link UserError} if it cannot be read. */
export function requireSmallFile(file: string): string {
  return orUserError(file, readSmallFile);
}

/**
 * Returns the text of a small file that people write, copy and save: as {@link readSmallFile} does, but
 * in the form that {@link plainTextOf} gives it.
 */
export function readPlainText(file: string): string {
  return plainTextOf(readSmallFile(file));
}

/** Returns the text of {@link readPlainText}. Throws {@link UserError} if it cannot be read. */
export function requirePlainText(file: string): string {
  return orUserError(file, readPlainText);
}

/** Removes what editors of Windows add: a byte order mark, and a carriage return before each line feed. */
export function plainTextOf(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
}

/** Returns the value of a JSON text. The error of the parser would quote the text, which may have a key. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('it is not valid JSON');
  }
}

function orUserError(file: string, read: (file: string) => string): string {
  try {
    return read(file);
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * Returns the bytes of a file. Throws {@link TooLong} if it has more than so many, or another Error. A
 * pipe is read only if it is one of this process, such as `/dev/stdin`.
 */
export function readBounded(file: string, maxBytes: number): Buffer {
  const isInherited = INHERITED.test(file);
  const fd = openSync(file, isInherited ? constants.O_RDONLY : WITHOUT_WAITING);
  try {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) throw new Error('it is a folder');
    if (stats.isFIFO() && !isInherited) throw new Error('it is a pipe, not a file');
    const chunks: Buffer[] = [];
    for (let length = 0; length <= maxBytes; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
    throw new TooLong(`it has more than ${maxBytes} bytes`);
  } finally {
    closeSync(fd);
  }
}
