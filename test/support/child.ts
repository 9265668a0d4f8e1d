import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** A child process that reports in lines. */
export interface Child {
  /** Resolves with its next line; `undefined` at its end. */
  line(): Promise<string | undefined>;
  /** Kills it without any cleanup, as the kernel does when memory runs out. */
  kill(): Promise<void>;
}

/** Starts one of the programs in `programs`. It is killed after the running test. */
export function startProgram(name: string, ...given: readonly string[]): Child {
  const program = new URL(`programs/${name}.ts`, import.meta.url).pathname;
  const child = spawn(process.execPath, [program, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => end(child));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async () => (await lines.next()).value,
    kill: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
