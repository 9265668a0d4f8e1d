import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { Cluster } from '../support/postgres/cluster.ts';
import { sql } from '../support/postgres/sql.ts';
import {
  IN_A_TERMINAL,
  INSTALLED_HERE,
  languageOf,
  NOT_RUN,
  OTHER_LANGUAGES,
  type Step,
  stepsOf,
} from './blocks.ts';
import { matches } from './match.ts';
import { type Pasted, type Shell, Terminal } from './terminal.ts';

/** The ports in the pages: that of `npm start`, and PostgreSQL's. */
const SHOWN_PORTS = { service: '3000', postgres: '5432' } as const;

/**
 * Stands in for npm's `npx`: starts the project's program as npx does, without npm, which takes
 * several times as long to start as the program. For any other program it is npm's.
 */
const QUICK_NPX = `#!/bin/sh
[ "$1" = store-orders ] && shift && exec '${resolve('bin/store-orders')}' "$@"
exec '${execFileSync('sh', ['-c', 'command -v npx'], { encoding: 'utf8' }).trim()}' "$@"
`;

/** The longest time until a service is ready, in checks of 50 ms. */
const READY_CHECKS = 600;

interface Habits {
  /** All pages are pasted into one terminal, instead of one for each. */
  readonly oneTerminal?: boolean;
  /** The program is started without npm, except for one page of one of the tests. */
  readonly quickNpx?: boolean;
}

/**
 * Simulates a person who pastes the blocks of pages, in a clone of the project after `npm ci`.
 * Everything is real except the ports: free ones replace 3000 and 5432.
 */
export class Reader implements AsyncDisposable {
  readonly #shell: Shell;
  readonly #folder = mkdtempSync(join(tmpdir(), 'store-orders-'));
  readonly #clone = join(this.#folder, 'clone');
  readonly #path: string;
  #port = '';
  #cluster: Cluster | undefined;
  /** The terminal that all pages share, if they share one. */
  #terminal: Terminal | undefined;
  #terminals = 0;
  #other: ChildProcess | undefined;

  static async begin(shell: Shell, habits: Habits = {}): Promise<Reader> {
    const reader = new Reader(shell, habits);
    reader.#port = String(await freePort());
    if (habits.oneTerminal) reader.#terminal = reader.#openTerminal();
    return reader;
  }

  private constructor(shell: Shell, { quickNpx = false }: Habits) {
    this.#shell = shell;
    const programs = join(this.#folder, 'programs');
    mkdirSync(programs);
    if (quickNpx) writeFileSync(join(programs, 'npx'), QUICK_NPX, { mode: 0o755 });
    this.#path = `${programs}:${process.env.PATH}`;
    mkdirSync(this.#clone);
    const configurations = ['package.json', '.npmrc', ...globSync('tsconfig*.json')];
    for (const name of [...configurations, 'node_modules', 'bin', 'dist', 'docs', 'src']) {
      symlinkSync(resolve(name), join(this.#clone, name));
    }
    // A copy, because its package is built in it.
    cpSync('test/kit', join(this.#clone, 'test/kit'), { recursive: true });
  }

  /** Pastes all blocks of a page, and checks their output and what they leave behind. */
  async read(page: string): Promise<void> {
    const terminal = this.#terminal ?? this.#openTerminal();
    const files = this.#files();
    const environment = await terminal.environment();
    for (const step of stepsOf(page)) {
      if (step.commands in NOT_RUN) continue;
      const language = languageOf(step);
      if (language === undefined || hasProgram(language)) await this.#follow(page, step, terminal);
      else
        console.warn(`SKIPPED: a block of ${page}: apt-get install ${OTHER_LANGUAGES[language]}`);
    }
    await this.#stopOther();
    expect.soft(await terminal.environment(), 'the variables after the page').toBe(environment);
    expect.soft(readdirSync(terminal.temporary), 'temporary files after the page').toEqual([]);
    // The data folder, which `npm start` creates, is not counted: git ignores it.
    expect.soft(this.#files(), 'files of the clone after the page').toEqual(files);
    if (terminal !== this.#terminal) await close(terminal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopOther();
    await this.#cluster?.[Symbol.asyncDispose]();
    if (this.#terminal !== undefined) await close(this.#terminal);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #follow(page: string, step: Step, terminal: Terminal): Promise<void> {
    const { commands, shown } = step;
    if (step.language === 'sql') return this.#runSql(commands);
    const other = IN_A_TERMINAL[commands];
    if (other !== undefined) return this.#startOther(other, shown);
    const { output, status } = await this.#paste(INSTALLED_HERE[commands] ?? commands, terminal);
    expect.soft(status, `${commands}\n${output}`).toBe('0');
    expect.soft(output, 'the prompt stands on a line of its own').toMatch(/^$|\n$/);
    // Only the store of the README may have earlier orders.
    const isAsShown = matches(shown ?? '', output, { idsVary: page === 'README.md' });
    if (!isAsShown) expect.soft(output, `after\n${commands}`).toBe(shown ?? '');
  }

  async #paste(commands: string, terminal: Terminal): Promise<Pasted> {
    const { service, postgres } = SHOWN_PORTS;
    const text = commands
      .replaceAll(service, this.#port)
      .replaceAll(postgres, String(this.#cluster?.port ?? postgres));
    const { output, status } = await terminal.paste(text);
    return { output: output.replaceAll(`:${this.#port}`, `:${service}`), status };
  }

  async #runSql(text: string): Promise<void> {
    this.#cluster ??= await Cluster.start();
    const isAboutDatabases = /\b(?:CREATE|DROP) DATABASE\b/.test(text);
    const url = this.#cluster.url(isAboutDatabases ? 'postgres' : 'orders');
    for (const statement of text.split(/(?<=;)\n/)) await sql(url, statement);
  }

  /** Runs a service in another terminal, after stopping the one that runs there. */
  async #startOther(command: string, shown: string | undefined): Promise<void> {
    await this.#stopOther();
    const isFirst = !existsSync(join(this.#clone, 'data'));
    const other = spawn('sh', ['-c', command], {
      cwd: this.#clone,
      env: { PATH: process.env.PATH, HOME: this.#folder, PORT: this.#port },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    this.#other = other;
    let said = '';
    other.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    // The address is printed to standard error a moment after the service is ready.
    const isStarted = async () => said.includes('http') && (await this.#isReady());
    for (let check = 0; check < READY_CHECKS && !(await isStarted()); check++) {
      await setTimeout(50);
    }
    if (shown === undefined || !isFirst) return;
    const output = said.replaceAll(`:${this.#port}`, `:${SHOWN_PORTS.service}`);
    if (!matches(shown, output)) expect.soft(output, `after ${command}`).toBe(shown);
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/readyz`)).ok;
    } catch {
      return false;
    }
  }

  /** Stops the other service as Ctrl-C does. */
  async #stopOther(): Promise<void> {
    const other = this.#other;
    if (other === undefined) return;
    this.#other = undefined;
    const ended = once(other, 'exit');
    process.kill(-(other.pid as number), 'SIGINT');
    await ended;
  }

  #openTerminal(): Terminal {
    const scratch = join(this.#folder, `terminal-${this.#terminals++}`);
    mkdirSync(scratch);
    return new Terminal(this.#shell, this.#clone, scratch, { PATH: this.#path });
  }

  #files(): readonly string[] {
    return readdirSync(this.#clone).filter((name) => name !== 'data');
  }
}

function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

async function close(terminal: Terminal): Promise<void> {
  expect(await terminal.close(), 'processes have ended with their terminal').toBe(true);
  expect(terminal.history(), 'the history of commands').not.toMatch(/sto_\w{10}_/);
}
