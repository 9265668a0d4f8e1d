import { execFile } from 'node:child_process';
import { join } from 'node:path';

/** Runs the tool of the specification language, https://quint.sh, from its npm package. */

const TOOL = join(
  import.meta.dirname,
  '../../../node_modules/@informalsystems/quint/dist/src/cli.js',
);
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export const SPECIFICATION = join(import.meta.dirname, 'orders.qnt');
export const INVARIANTS = join(import.meta.dirname, 'invariants.qnt');

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command of Quint. Resolves with its exit code, and both its outputs. */
export function quint(...given: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: MAX_OUTPUT_BYTES };
    execFile(process.execPath, [TOOL, ...given], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number') resolve({ code, output: stdout + stderr });
      else reject(error);
    });
  });
}

/** Draws traces of the specification, and checks a property after each step. */
export function simulate(file: string, given: readonly string[]): Promise<Ended> {
  // The other backend is a program that the tool would download.
  return quint('run', file, '--backend=typescript', '--max-steps=25', ...given);
}
