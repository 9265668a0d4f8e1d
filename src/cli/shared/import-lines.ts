/** The reading of files of orders, line by line. */

import { type FileHandle, open } from 'node:fs/promises';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';

/** The size of a read. */
const CHUNK_BYTES = 1 << 20;
/** The longest line, in UTF-16 code units: no order is nearly as long. */
const MAX_LINE_LENGTH = 1 << 20;

/** Opens a file. Throws {@link CannotStart} with the reason if it cannot be read. */
export async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (error) {
    throw new CannotStart(`${file} cannot be read: ${(error as Error).message}`);
  }
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
      throw new CannotStart('A line is too long to be an order or an event.');
    yield { lines, bytes: stream.bytesRead };
  }
  if (rest !== undefined) yield { lines: [rest], bytes: stream.bytesRead };
}
