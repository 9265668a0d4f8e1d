import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { mintKeyText } from '../../src/app/api-key.ts';
import { newFolder, removeFolder, start, stop } from './processes.ts';
import type { StoreFile } from './stores.ts';

const ROOT = resolve(import.meta.dirname, '../..');

const COMMAND = readFileSync(join(ROOT, 'bin/store-orders'), 'utf8');
const NODE_OPTIONS = COMMAND.match(/--\w+-semi-space-size=\d+/g) ?? [];

/** What `npm start` starts: its options for Node, and the program, built in this folder. */
const startOf = (root: string) => {
  return [...NODE_OPTIONS, `${root}/dist/main.js`, 'serve'];
};

/** How long a server may take to start, in milliseconds: some fill a database first. */
const START_WITHIN = 120_000;

/** The one key of the whole bench, which every server that asks for one accepts. */
const KEY = mintKeyText();
export const BEARER = { Authorization: `Bearer ${KEY}` };

export const ORDERS = '/v1/store/orders';

/** A running server, in a process of its own. */
export interface Server extends AsyncDisposable {
  readonly name: string;
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The product on a store of its own. */
export interface Product extends Server {
  readonly store: StoreFile;
}

/**
 * Starts the product as production does: its command, its defaults, its log on a pipe that
 * somebody reads. Resolves when it says on standard error where it answers.
 * @param root Where it is built.
 */
export async function startProduct(
  store: StoreFile,
  env: Readonly<Record<string, string>> = {},
  root = ROOT,
): Promise<Product> {
  // The log's reader is as lean as one can be, because it shares the processors with the product.
  const reader = start('cat', [], { stdio: ['pipe', 'ignore', 'inherit'] });
  const child = start(process.execPath, startOf(root), {
    cwd: dirname(store.file),
    stdio: ['ignore', reader.stdin, 'pipe'],
    env: {
      PORT: '0',
      HOST: '127.0.0.1',
      DATABASE_URL: store.url ?? `sqlite:${store.file}`,
      INITIAL_API_KEY: KEY,
      ...env,
    },
  });
  // It ends with the product, which has the other end of its pipe; this process lets go of it.
  reader.stdin?.destroy();
  const address = await firstMatch(child, child.stderr, /^Store Orders answers at (\S+)\/v1$/);
  const server = serverOf('Store Orders', child, address);
  const stopAndRemove = async () => {
    await server.stop();
    removeFolder(dirname(store.file));
  };
  return { ...server, store, [Symbol.asyncDispose]: stopAndRemove };
}

/** The folder of the same product with one thing in it changed: a text in a file of its build. */
export function changedProduct(file: string, text: string, becomes: string): string {
  const folder = newFolder();
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const changed = join(folder, 'dist', file);
  const before = readFileSync(changed, 'utf8');
  if (before.split(text).length !== 2) throw new Error(`${file} has not one "${text}"`);
  writeFileSync(changed, before.replace(text, becomes));
  return folder;
}

/** Starts one of the small servers in the folder `servers`. It writes its address as a line. */
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

/** One request with the bench's key, and the bytes of its answer as they came. */
export async function fetchBytes(
  { address }: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Fetched> {
  const asked = get(`${address}${path}`, { agent: false, headers: { ...BEARER, ...headers } });
  const [res] = await once(asked, 'response');
  const chunks = await Array.fromAsync(res as AsyncIterable<Buffer>);
  const encoding = res.headers['content-encoding'] as string | undefined;
  return { status: res.statusCode, encoding, body: Buffer.concat(chunks) };
}
