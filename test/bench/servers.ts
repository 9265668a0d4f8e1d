import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { NODE_OPTIONS } from '../support/node-options.ts';
import { newFolder, removeFolder, start, stop } from './processes.ts';
import type { StoreFile } from './stores.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** The arguments with which `npm start` runs Node: its options, and the built program. */
const startOf = (root: string) => {
  return [...NODE_OPTIONS, `${root}/dist/main.js`, 'serve'];
};

/** The longest start of a server, in milliseconds: some fill a database first, or read a large one. */
const START_WITHIN = 600_000;

/** The API key of the whole bench, which every server with authentication accepts. */
export const KEY = mintKeyText();
export const BEARER = { Authorization: `Bearer ${KEY}` };

export const ORDERS = '/v1/store/orders';

/** A running server in a process of its own. */
export interface Server extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The running product on a store of its own. */
export interface Product extends Server {
  readonly store: StoreFile;
}

/**
 * Limits for a test of the bench itself: on a busy machine requests wait longer than the defaults allow, and
 * one that is refused fails its row.
 */
const PATIENT = { QUEUE_TARGET_MS: '60000', QUEUE_INTERVAL_MS: '60000', READ_WAIT_MS: '60000' };
const limits = process.env.BENCH_PATIENT === '1' ? PATIENT : {};

/**
 * Starts the product as in production: its command, its defaults, its log on a pipe with a reader.
 * Resolves when it prints its address to standard error.
 * @param root The folder with its build.
 * @param within A command that executes the one behind it, for instance with less memory.
 */
export async function startProduct(
  store: StoreFile,
  env: Readonly<Record<string, string>> = {},
  root = ROOT,
  within: readonly string[] = [],
): Promise<Product> {
  // The log's reader does minimal work, because it shares the processors with the product.
  const reader = start('cat', [], { stdio: ['pipe', 'ignore', 'inherit'] });
  const [command = '', ...given] = [...within, process.execPath, ...startOf(root)];
  const child = start(command, given, {
    cwd: dirname(store.file),
    stdio: ['ignore', reader.stdin, 'pipe'],
    env: {
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: store.url ?? `sqlite:${store.file}`,
      INITIAL_API_KEY: KEY,
      ...limits,
      ...env,
    },
  });
  // It ends with the product, which has the other end of its pipe.
  reader.stdin?.destroy();
  const address = await firstMatch(child, child.stderr, /^Store Orders answers at (\S+)\/v1$/);
  const server = serverOf('Store Orders', child, address);
  const stopAndRemove = async () => {
    await server.stop();
    removeFolder(dirname(store.file));
  };
  return { ...server, store, [Symbol.asyncDispose]: stopAndRemove };
}

/** A text in a file of the product's build, and its replacement. */
export type Replacement = readonly [file: string, text: string, becomes: string];

/** Creates a folder with a variant of the product: its build, with replaced texts. */
export function changedProduct(...replacements: readonly Replacement[]): string {
  const folder = newFolder();
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, text, becomes] of replacements) {
    const changed = join(folder, 'dist', file);
    const before = readFileSync(changed, 'utf8');
    if (before.split(text).length !== 2) throw new Error(`${file} has not one "${text}"`);
    writeFileSync(changed, before.replace(text, becomes));
  }
  return folder;
}

/** Starts one of the small servers in the folder `servers`, which prints its address in a line. */
export async function startServer(
  name: string,
  program: string,
  given: readonly string[] = [],
): Promise<Server> {
  const file = join(import.meta.dirname, 'servers', `${program}.ts`);
  const child = start(process.execPath, [file, ...given], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { BENCH_KEY: KEY },
  });
  return serverOf(name, child, await firstMatch(child, child.stdout, /^(http:\S+)$/));
}

function serverOf(name: string, child: ChildProcess, address: string): Server {
  const end = () => stop(child);
  return { name, address, pid: child.pid as number, stop: end, [Symbol.asyncDispose]: end };
}

async function firstMatch(
  child: ChildProcess,
  stream: NodeJS.ReadableStream | null,
  pattern: RegExp,
): Promise<string> {
  const lines: string[] = [];
  const found = Promise.withResolvers<string>();
  const reader = createInterface({ input: stream as NodeJS.ReadableStream });
  reader.on('line', (line) => {
    lines.push(line);
    const match = pattern.exec(line)?.[1];
    if (match !== undefined) found.resolve(match);
  });
  const fail = (why: string) => found.reject(new Error(`a server ${why}: ${lines.join('\n')}`));
  once(child, 'exit').then(
    () => fail('ended'),
    (error) => fail(String(error)),
  );
  const impatience = setTimeout(() => fail('did not start in time'), START_WITHIN);
  try {
    return await found.promise;
  } catch (error) {
    await stop(child);
    throw error;
  } finally {
    clearTimeout(impatience);
  }
}

export interface Fetched {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly body: Buffer;
}

/** Sends a request with the bench's key, and returns the raw bytes of the response. */
export async function fetchBytes(
  server: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Fetched> {
  const res = await responseOf(server, path, headers);
  const chunks = await Array.fromAsync(res as AsyncIterable<Buffer>);
  const encoding = res.headers['content-encoding'];
  return { status: res.statusCode as number, encoding, body: Buffer.concat(chunks) };
}

/** Sends a request with the bench's key, and returns the response before its body is read. */
export async function responseOf(
  { address }: Server,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const asked = get(`${address}${path}`, { agent: false, headers: { ...BEARER, ...headers } });
  const [res] = await once(asked, 'response');
  return res;
}

/** Milliseconds from starting the process to the end of its first answer. */
export async function timeToFirstAnswer(store: StoreFile, root = ROOT): Promise<number> {
  const begun = performance.now();
  const product = await startProduct(store, {}, root);
  try {
    const { status } = await fetchBytes(product, store.orders > 0 ? `${ORDERS}/1` : ORDERS);
    if (status !== 200) throw new Error(`the first answer was ${status}`);
    return performance.now() - begun;
  } finally {
    await product.stop();
  }
}
