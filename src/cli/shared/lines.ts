/** The reading of files line by line: leniently for orders, and strictly for exports. */

import { type FileHandle, open } from 'node:fs/promises';
import { UserError } from '../../app/lifecycle/user-error.ts';

/** Few enough that the lines of a chunk, all of which are objects at once, take little memory. */
const CHUNK_BYTES = 1 << 18;
/** The longest line, in UTF-16 code units: no order or event is nearly as long. */
const MAX_LINE_LENGTH = 1 << 20;

/** Uses an open file. Throws {@link UserError} with the reason if it cannot be read. */
export async function withFile<Result>(
  file: string,
  use: (input: FileHandle) => Promise<Result>,
): Promise<Result> {
  const input = await openFile(file);
  try {
    return await use(input);
  } finally {
    await input.close();
  }
}

async function openFile(file: string): Promise<FileHandle> {
  const cannot = (reason: string) => new UserError(`${file} cannot be read: ${reason}`);
  const handle = await open(file).catch(({ message }: Error) => {
    throw cannot(message);
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw cannot('it is a folder');
}

/** Some lines, and how many bytes were read up to here. */
export interface Lines {
  readonly lines: readonly string[];
  readonly bytes: number;
}

/**
 * Yields the lines of a text, many at a time, without their ends (LF or CRLF) and without the byte
 * order mark that some programs begin a text with.
 */
export async function* readLines(file: FileHandle): AsyncIterable<Lines> {
  const stream = file.createReadStream({ encoding: 'utf8', highWaterMark: CHUNK_BYTES });
  let rest: string | undefined;
  for await (const chunk of stream as AsyncIterable<string>) {
    const text = rest === undefined ? chunk.replace(/^\uFEFF/, '') : rest + chunk;
    const lines = text.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE_LENGTH)
      throw new UserError('A line is too long to be an order or an event.');
    yield { lines, bytes: stream.bytesRead };
  }
  if (rest !== undefined) yield { lines: [rest], bytes: stream.bytesRead };
}

/** Some lines of an export, and the flaw, if any, after them. */
interface StrictLines extends Lines {
  readonly problem?: string;
}

/**
 * Yields the exact lines of a file, many at a time: nothing is dropped or replaced. They must be in
 * UTF-8 without a byte order mark, each ended by a line feed alone, and none empty. Ends at the
 * first problem. There are two chunks in memory at most.
 */
export async function* readStrictLines(file: FileHandle): AsyncGenerator<StrictLines> {
  const stream = file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false });
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const text = decoded(decoder, chunk);
    if (text === undefined) return yield { lines: [], bytes: stream.bytesRead, problem: NO_TEXT };
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    const problem = problemOf(lines) ?? (rest.length > MAX_LINE_LENGTH ? TOO_LONG : undefined);
    if (problem !== undefined) return yield { lines: [], bytes: stream.bytesRead, problem };
    yield { lines, bytes: stream.bytesRead };
  }
  const end = decoded(decoder);
  if (end === undefined || rest !== '') {
    const problem = end === undefined ? NO_TEXT : 'the last line is cut off: nothing ends it';
    yield { lines: [], bytes: stream.bytesRead, problem };
  }
}

const NO_TEXT = 'it is not UTF-8';
const TOO_LONG = 'a line is too long to be an event';

function problemOf(lines: readonly string[]): string | undefined {
  if (lines.includes('')) return 'there is an empty line';
  if (lines.some((line) => line.startsWith('\uFEFF')))
    return 'a line begins with a byte order mark';
  if (lines.some((line) => line.endsWith('\r'))) return 'a line ends with a carriage return';
  return lines.some((line) => line.length > MAX_LINE_LENGTH) ? TOO_LONG : undefined;
}

/** Returns the text of the next bytes, or of the end; `undefined` if it is not UTF-8. */
function decoded(decoder: typeof TextDecoder.prototype, bytes?: Buffer): string | undefined {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
