import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { NODE_OPTIONS } from '../../support/node-options.ts';

/** The longest time until an instance is ready, in milliseconds: the database may be away. */
const STOP_TIMEOUT_MS = 60_000;

const FORCED = { recursive: true, force: true };

/** Instances of the service as production starts them. Each that ends comes back by itself. */
export class Instances implements AsyncDisposable {
  /** A key that may do everything. */
  readonly key = mintKeyText();
  /** Messages that no instance may ever log. */
  readonly lastWords: string[] = [];
  readonly #program: string;
  readonly #urls: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'store-orders-chaos-'));
  readonly #addresses: (string | undefined)[] = [];
  readonly #children: ChildProcess[] = [];
  readonly #returning = new Set<Promise<void>>();
  #isOver = false;

  private constructor(program: string, urls: readonly string[]) {
    this.#program = program;
    this.#urls = urls;
  }

  /** Starts one instance for each address of the database. */
  static async start(program: string, urls: readonly string[]): Promise<Instances> {
    const instances = new Instances(program, urls);
    for (const number of urls.keys()) await instances.#begin(number);
    return instances;
  }

  get count(): number {
    return this.#urls.length;
  }

  /** Returns the address of the instance with this number or, if it is away, of the next. */
  address(number: number): string {
    for (let next = 0; next < this.count; next++) {
      const address = this.#addresses[(number + next) % this.count];
      if (address !== undefined) return address;
    }
    // Nobody listens there.
    return 'http://127.0.0.1:1';
  }

  /** Ends an instance as the kernel does when memory is short. */
  async kill(number: number): Promise<void> {
    const child = this.#children[number];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const number of this.#urls.keys()) await this.kill(number);
    await Promise.all(this.#returning);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #begin(number: number): Promise<void> {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const child = spawn(process.execPath, [...NODE_OPTIONS, this.#program, 'serve'], {
      cwd: this.#folder,
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        PORT: '0',
        INITIAL_API_KEY: this.key,
        DATABASE_URL: this.#urls[number],
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children[number] = child;
    let said = '';
    const ready = Promise.withResolvers<void>();
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    child.stderr.on('data', (text: Buffer) => {
      said += text;
    });
    child.stdout.on('data', (text: Buffer) => {
      said = (said + text).slice(-4_000);
      if (text.includes('"reason":"database_replaced"')) {
        this.lastWords.push('an instance was shown a log that has lost what it had told of');
        child.kill('SIGKILL');
      }
      const address = /"address":"([^"]+)","msg":"ready"/.exec(String(text))?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      this.#addresses[number] = address;
      ready.resolve();
    });
    child.once('exit', (code) => {
      clearTimeout(timer);
      // One that finds no database does not start. One that was ready has no reason to end.
      const wasReady = this.#addresses[number] !== undefined;
      // The round goes on with what is there, without the file that says how far the log has been.
      if (this.lastWords.length > 0) rmSync(join(this.#folder, 'data'), FORCED);
      if (code !== null && wasReady)
        this.lastWords.push(`an instance has ended by itself: ${said}`);
      this.#addresses[number] = undefined;
      ready.resolve();
      if (!this.#isOver) this.#return(number);
    });
    await ready.promise;
  }

  #return(number: number): void {
    const returning = new Promise<void>((done) => setTimeout(done, 100))
      .then(() => (this.#isOver ? undefined : this.#begin(number)))
      .finally(() => this.#returning.delete(returning));
    this.#returning.add(returning);
  }
}
