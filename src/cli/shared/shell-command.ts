/** Commands of the user, run in a shell. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The wait between a request to end and the end by force. */
const KILL_AFTER_MS = 5_000;

interface Run {
  readonly timeoutMs: number;
  /** The text on its standard input, if it has one. */
  readonly input?: string;
  /** Variables besides those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The end of a command: one of both, and whether it has taken longer than it may. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly isLate: boolean;
}

/** Runs a command in a shell, in a process group of its own: a Ctrl-C is not for it. */
export async function runInShell(
  command: string,
  { timeoutMs, input = '', environment = {} }: Run,
): Promise<Ended> {
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true,
    env: { ...process.env, ...environment },
  });
  const end = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal);
  };
  const began = performance.now();
  const timers = [
    setTimeout(end, timeoutMs, 'SIGTERM'),
    setTimeout(end, timeoutMs + KILL_AFTER_MS, 'SIGKILL'),
  ];
  // A command need not read what it is given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  for (const timer of timers) clearTimeout(timer);
  return { code, signal, isLate: performance.now() - began >= timeoutMs };
}

/** Returns the end of a command that has failed, in words. */
export function endInWords({ code, signal, isLate }: Ended, timeoutMs: number): string {
  return `${signal ?? `exit code ${code}`}${isLate ? `, after ${timeoutMs / 1_000} s` : ''}`;
}
