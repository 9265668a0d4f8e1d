import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seedFrom } from '../../support/nightly.ts';

/** Runs the tool of the specification language, https://quint.sh, from its npm package. */

const TOOL = join(
  import.meta.dirname,
  '../../../node_modules/@informalsystems/quint/dist/src/cli.js',
);

export const SPECIFICATION = join(import.meta.dirname, 'orders.qnt');
export const TRAILS = join(import.meta.dirname, 'trails.qnt');
export const INVARIANTS = join(import.meta.dirname, 'invariants.qnt');

/** The other backend is a program that the tool would download. */
const BACKEND = '--backend=typescript';

/** The same number draws the same traces again. */
const SEED = seedFrom('SPECIFICATION_SEED');

/** The number of steps of a trace. */
const STEPS = 50;

export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a command of Quint. Resolves with its exit code, and both its outputs. */
export async function quint(...given: readonly string[]): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-quint-'));
  try {
    const file = join(folder, 'output');
    // Not a pipe: the tool ends itself before a pipe has taken everything.
    const output = openSync(file, 'a');
    const child = spawn(process.execPath, [TOOL, ...given], { stdio: ['ignore', output, output] });
    closeSync(output);
    const [code] = await once(child, 'exit');
    return { code, output: readFileSync(file, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Draws traces of a specification, and checks a property after each step. */
export function simulate(file: string, given: readonly string[]): Promise<Ended> {
  return quint('run', file, BACKEND, `--seed=${SEED}`, `--max-steps=${STEPS}`, ...given);
}

/** Runs the tests in a file, each once. */
export function runTests(file: string): Promise<Ended> {
  return quint('test', file, BACKEND, '--max-samples=1');
}
