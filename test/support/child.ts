import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Another process, which says what it has to say in lines. */
export interface Child {
  /** The next line that it writes; `undefined` at its end. */
  line(): Promise<string | undefined>;
  /** Ends it as the kernel does when memory is short: it can clean nothing up. */
  kill(): Promise<void>;
}

/** Starts one of the programs beside this file. It does not outlive the running test. */
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
