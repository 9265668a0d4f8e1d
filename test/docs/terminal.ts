import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

/** The shells into which blocks are pasted. The last two are interactive. */
const SHELLS = {
  sh: ['sh'],
  // Interactive shells expand `!` from the history, and zsh treats `#` as a command.
  bash: ['bash', '--norc', '--noprofile', '--noediting', '-i'],
  zsh: ['zsh', '-f', '-i', '--no-prompt-cr', '--no-prompt-sp'],
} as const;

export type Shell = keyof typeof SHELLS;

export function isInstalled(shell: Shell): boolean {
  return spawnSync(SHELLS[shell][0], ['-c', 'true']).status === 0;
}

/** The outcome of one pasted block. */
export interface Pasted {
  /** Standard output and standard error, interleaved as on a screen. */
  readonly output: string;
  readonly status: string;
}

/** The longest time until processes end after their shell, in checks of 20 ms. */
const LEFTOVER_CHECKS = 100;

/** A real shell, with initially empty folders for its home and its temporary files. */
export class Terminal {
  readonly temporary: string;
  readonly #shell: ChildProcess;
  readonly #scratch: string;
  readonly #statuses: AsyncIterator<string>;
  #blocks = 0;

  constructor(shell: Shell, cwd: string, scratch: string, more: NodeJS.ProcessEnv = {}) {
    this.#scratch = scratch;
    this.temporary = join(scratch, 'tmp');
    for (const folder of [this.temporary, join(scratch, 'home')]) mkdirSync(folder);
    const [program, ...options] = SHELLS[shell];
    this.#shell = spawn(program, options, {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: join(scratch, 'home'),
        TMPDIR: this.temporary,
        HISTFILE: this.#historyFile,
        HISTSIZE: '10000',
        SAVEHIST: '10000',
        // Outside the folders that are checked after each page.
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        ...more,
      },
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      // In a process group of its own, so that leftover processes of a page can be found and killed.
      detached: true,
    });
    const statuses = this.#shell.stdio[3] as Readable;
    this.#statuses = createInterface(statuses)[Symbol.asyncIterator]();
    this.#type('PS1= PS2=\n');
  }

  get #historyFile(): string {
    return join(this.#scratch, 'history');
  }

  /** Pastes a block and waits until its last command has ended. */
  async paste(block: string): Promise<Pasted> {
    const file = join(this.#scratch, `${this.#blocks++}.out`);
    this.#type(`exec > ${file} 2>&1\n${block}echo "$?" >&3\n`);
    const { value, done } = await this.#statuses.next();
    const output = withoutJobs(readFileSync(file, 'utf8'));
    return { output, status: done ? 'the shell has ended' : value };
  }

  /** Returns the exported variables, sorted. */
  async environment(): Promise<string> {
    return (await this.paste(`env | grep -v '^OLDPWD=\\|^_=' | sort\n`)).output;
  }

  /** Returns the shell's history after it was closed; empty for a non-interactive shell. */
  history(): string {
    try {
      return readFileSync(this.#historyFile, 'utf8');
    } catch {
      return '';
    }
  }

  /** Ends the shell. Returns false if a process that it has started is still running. */
  async close(): Promise<boolean> {
    const ended = once(this.#shell, 'exit');
    this.#type('exit\n');
    await ended;
    for (let check = 0; check < LEFTOVER_CHECKS; check++) {
      if (!this.#signal(0)) return true;
      await setTimeout(20);
    }
    this.#signal('SIGKILL');
    return false;
  }

  #type(text: string): void {
    (this.#shell.stdin as Writable).write(text);
  }

  /** Sends a signal to the remaining processes. Returns false if there are none. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(-(this.#shell.pid as number), signal);
    } catch {
      return false;
    }
  }
}

/** Removes the job-control messages of interactive shells. */
function withoutJobs(output: string): string {
  return output.replaceAll(/^\[\d+\] .*\n|^\[\d+\][+-] .*\n/gm, '');
}
