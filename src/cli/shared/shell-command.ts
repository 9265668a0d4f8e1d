/** Commands of the user, run in a shell. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** The wait between a request to end and the end by force. */
const KILL_AFTER_MS = 5_000;
/** The longest wait after the end by force: what nobody reaps stays in its group for ever. */
const GONE_AFTER_MS = 1_000;
const POLL_MS = 20;

interface Run {
  readonly timeoutMs: number;
  /** The text on its standard input, if it has one. */
  readonly input?: string;
  /** Variables besides those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The end of a command: a code or a signal, or the reason why it could not be started. */
interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly problem?: string;
  /** True if it has taken longer than it may. */
  readonly isLate: boolean;
}

/**
 * Runs a command in a shell, in a process group of its own: a Ctrl-C is not for it. If it takes too long,
 * the whole group is ended before this resolves. Never rejects.
 */
export async function runInShell(
  command: string,
  { timeoutMs, input = '', environment = {} }: Run,
): Promise<Ended> {
  const late: Promise<void>[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    const child = spawn('/bin/sh', ['-c', command], {
      stdio: ['pipe', 'inherit', 'inherit'],
      detached: true,
      env: { ...process.env, ...environment },
    });
    // Rejects if there is no shell, or no free process or descriptor. Then there may be no pipe either.
    const closed = once(child, 'close');
    timer = setTimeout(() => late.push(endGroup(child.pid as number)), timeoutMs);
    // A command need not read what it is given.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    const [code, signal] = await closed;
    await Promise.all(late);
    return { code, signal, isLate: late.length > 0 };
  } catch (error) {
    return { code: null, signal: null, problem: (error as Error).message, isLate: false };
  } finally {
    clearTimeout(timer);
  }
}

/** Ends a process group, and waits until nothing of it is left: a shell may end before its children. */
async function endGroup(id: number): Promise<void> {
  const steps = [
    ['SIGTERM', KILL_AFTER_MS],
    ['SIGKILL', GONE_AFTER_MS],
  ] as const;
  for (const [signal, waitMs] of steps) {
    sendTo(id, signal);
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += POLL_MS) {
      if (!sendTo(id, 0)) return;
      await wait(POLL_MS);
    }
  }
}

/** Sends a signal to a process group. Returns false if there is none any more. */
function sendTo(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-id, signal);
  } catch {
    return false;
  }
}

/** Returns the end of a command that has failed, in words. */
export function endInWords({ code, signal, problem, isLate }: Ended, timeoutMs: number): string {
  if (problem !== undefined) return `it cannot be started: ${problem}`;
  return `${signal ?? `exit code ${code}`}${isLate ? `, after ${timeoutMs / 1_000} s` : ''}`;
}
