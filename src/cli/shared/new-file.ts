/** The writing of new files. */

import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';

interface Writing {
  /** True to replace an existing file; absent for a command without that option. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Throws {@link CannotStart} for an existing path; with `force`, only for one that is not a file.
 */
export function requireNew(file: string, force?: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined || (force && there.isFile())) return;
  const wayOut = force === false ? ' --force replaces it.' : '';
  throw new CannotStart(`${file} is there already and was left as it is.${wayOut}`);
}

/**
 * Writes a file as a whole or not at all, readable by its owner only. Call {@link requireNew}
 * before the work that makes the text, too.
 */
export async function writeWhole(
  file: string,
  text: Iterable<string> | AsyncIterable<string>,
  { force, signal }: Writing = {},
): Promise<void> {
  const cannot = ({ message }: Error): never => {
    throw new CannotStart(`${file} cannot be written: ${message}`);
  };
  const unfinished = `${file}.unfinished-${randomBytes(4).toString('hex')}`;
  const handle = await open(unfinished, 'wx', 0o600).catch(cannot);
  try {
    for await (const part of text) {
      signal?.throwIfAborted();
      await handle.appendFile(part).catch(cannot);
    }
    await handle.sync().catch(cannot);
    requireNew(file, force);
    await rename(unfinished, file).catch(cannot);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}
