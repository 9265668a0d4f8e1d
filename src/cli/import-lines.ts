import { type FileHandle, open } from 'node:fs/promises';
import { CannotStart } from '../app/cannot-start.ts';

/** How much is read at once, in bytes. */
const CHUNK = 1 << 20;
/** No line of a file of orders or events is nearly as long, in characters. */
const LONGEST_LINE = 1 << 20;

/** Opens a file, or says in plain words why it cannot be read. */
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
 * The lines of a text, many at a time, without what ends them (LF or CRLF) and without the byte
 * order mark that some programs begin a text with.
 */
export async function* readLines(file: FileHandle): AsyncIterable<Lines> {
  const stream = file.createReadStream({ encoding: 'utf8', highWaterMark: CHUNK });
  let rest: string | undefined;
  for await (const chunk of stream as AsyncIterable<string>) {
    const text = rest === undefined ? chunk.replace(/^\uFEFF/, '') : rest + chunk;
    const lines = text.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new CannotStart('A line is too long to be an order or an event.');
    yield { lines, bytes: stream.bytesRead };
  }
  if (rest !== undefined) yield { lines: [rest], bytes: stream.bytesRead };
}
