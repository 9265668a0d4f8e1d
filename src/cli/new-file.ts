import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CannotStart } from '../app/cannot-start.ts';

/** Refuses to touch a file that is there already. */
export function requireNew(file: string): void {
  if (!existsSync(file)) return;
  throw new CannotStart(`${file} is there already and was left as it is. --force replaces it.`);
}

/** Writes a file that is there as a whole or not at all, for its owner only; replaces another. */
export async function writeWhole(
  file: string,
  text: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${file}.unfinished-${process.pid}`;
  try {
    const handle = await open(unfinished, 'wx', 0o600).catch((error: Error) => {
      throw new CannotStart(`${file} cannot be written: ${error.message}`);
    });
    await pipeline(Readable.from(text), handle.createWriteStream({ flush: true }), { signal });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw signal.aborted ? signal.reason : error;
  }
}
