import { writeFile } from 'node:fs/promises';
import { CannotStart } from '../app/cannot-start.ts';
import type { Terminal } from './command-line.ts';

/** Writes a text to a new file, or to standard output where no file is named. */
export async function writeResult(
  text: string,
  file: string | undefined,
  { stdout, stderr }: Terminal,
): Promise<void> {
  if (file === undefined) {
    stdout.write(text);
    return;
  }
  await writeFile(file, text, { flag: 'wx', flush: true }).catch(inPlainWords(file));
  stderr.write(`Wrote ${file}.\n`);
}

/** Says why a file was not written. */
export function inPlainWords(file: string): (error: NodeJS.ErrnoException) => never {
  return ({ code, message }) => {
    throw new CannotStart(
      code === 'EEXIST'
        ? `${file} is there already and was left as it is.`
        : `${file} cannot be written: ${message}`,
    );
  };
}
