import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { CannotStart } from '../app/cannot-start.ts';

interface Writing {
  /** Whether to replace a file that is there; absent where a command cannot be told to. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
}

/** Refuses to touch what is there already: with `force`, only what is no file. */
export function requireNew(file: string, force?: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there === undefined || (force && there.isFile())) return;
  const wayOut = force === false ? ' --force replaces it.' : '';
  throw new CannotStart(`${file} is there already and was left as it is.${wayOut}`);
}

/**
 * Writes a file that is there as a whole or not at all, for its owner only. Before the work that
 * makes its text, {@link requireNew} should be asked as well.
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
