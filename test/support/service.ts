import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { type Answer, type Asked, ask } from './http.ts';
import { NODE_OPTIONS } from './node-options.ts';
import { PATIENT } from './patience.ts';

/** The entry point that production starts. */
const MAIN = resolve('dist/main.js');

const folders = new Set<string>();
const children = new Set<ChildProcess>();

/** Ends all programs and removes all folders of a file's tests. */
export async function endAll(): Promise<void> {
  await Promise.all([...children].map((child) => child.kill('SIGKILL') && once(child, 'close')));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

// Hooks do not run if no test of the file is selected, and the file has started a service already.
process.once('SIGTERM', () => process.exit());
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a folder that is removed after the tests of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-test-'));
  folders.add(folder);
  return folder;
}

export type Environment = Readonly<Record<string, string>>;

/** A started program, with its output so far. */
export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #ended: Promise<unknown>;
  #written = Promise.withResolvers<void>();

  constructor(command: string, args: readonly string[], cwd: string, env: Environment) {
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
    const own = { PATH, HOME, NODE_COMPILE_CACHE };
    this.child = spawn(command, args, { cwd, env: { ...own, ...env }, stdio: 'pipe' });
    children.add(this.child);
    // 'close' is emitted after the last output.
    this.#ended = once(this.child, 'close').then(() => {
      children.delete(this.child);
      this.#wrote();
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#wrote();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wrote();
    });
  }

  /** Returns the complete JSON lines on standard output. */
  get log(): readonly Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Waits until `find` returns something for the output so far. */
  async until<Found>(find: (program: this) => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find(this);
      if (found !== undefined) return found;
      if (!children.has(this.child)) throw new Error(`it ended: ${this.stdout}${this.stderr}`);
      await this.#written.promise;
    }
  }

  /** Waits for the program's end and returns its exit code, or the name of the signal. */
  async ended(): Promise<number | string | null> {
    await this.#ended;
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Sends a signal and waits for the program's end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    this.child.kill(signal);
    return this.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }

  #wrote(): void {
    this.#written.resolve();
    this.#written = Promise.withResolvers();
  }
}

/** Starts `store-orders` as production does, with only the given environment. */
export function start(args: readonly string[], cwd: string, env: Environment = {}): Program {
  return new Program(process.execPath, [...NODE_OPTIONS, MAIN, ...args], cwd, env);
}

/** The service in a process and a folder of its own. */
export class Service implements AsyncDisposable {
  readonly folder = newFolder();
  readonly databaseFile = join(this.folder, 'data', 'store-orders.db');
  /** An API key with every scope. */
  readonly key = mintKeyText();
  readonly agent = new Agent({ keepAlive: true });
  program!: Program;
  address!: string;

  static async start(env: Environment = {}): Promise<Service> {
    const service = new Service();
    await service.start(env);
    return service;
  }

  /** Starts the process, or restarts it on the same folder. */
  async start(env: Environment = {}): Promise<void> {
    this.program = start(['serve'], this.folder, { ...this.#settings(), ...env });
    this.address = await addressOf(this.program);
  }

  /** Starts the process in a shell, behind a command that limits it. */
  async startWith(limit: string, env: Environment = {}): Promise<void> {
    const given = ['-c', `${limit} && exec "$0" "$@"`, process.execPath, MAIN, 'serve'];
    const all = { ...this.#settings(), ...env };
    this.program = new Program('/bin/sh', given, this.folder, all);
    this.address = await addressOf(this.program);
  }

  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.program.end(signal);
    await this.start();
  }

  /** Sends a request with the service's key, unless the headers have another. */
  ask(method: string, path: string, { headers, ...rest }: Asked = {}): Promise<Answer> {
    const asked = { agent: this.agent, ...rest, headers: { ...bearer(this.key), ...headers } };
    return ask(this.address, method, path, asked);
  }

  /** Sends a request with a JSON body. */
  send(method: string, path: string, body: string | object, asked: Asked = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'Content-Type': 'application/json', ...asked.headers };
    return this.ask(method, path, { ...asked, headers, body: text });
  }

  #settings(): Environment {
    const patience = String(PATIENT.intervalMs);
    const waits = { QUEUE_INTERVAL_MS: patience, READ_WAIT_MS: patience };
    return { PORT: '0', STOP_TIMEOUT: '120', INITIAL_API_KEY: this.key, ...waits };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.agent.destroy();
    await this.program.end('SIGKILL');
  }
}

/** Returns the address that a service prints when it is ready. */
export function addressOf(program: Program): Promise<string> {
  return program.until(({ log }) => {
    return log.find(({ msg }) => msg === 'ready')?.address as string | undefined;
  });
}

export function bearer(key: string): { Authorization: string } {
  return { Authorization: `Bearer ${key}` };
}
