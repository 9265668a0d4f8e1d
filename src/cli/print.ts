import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Output } from './command-line.ts';

/**
 * Writes a text as fast as it is taken. A reader who has seen enough and goes, as `head` does, is
 * no failure.
 */
export async function print(
  text: Iterable<string> | AsyncIterable<string>,
  output: Output,
): Promise<void> {
  try {
    await pipeline(Readable.from(text), output, { end: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}
