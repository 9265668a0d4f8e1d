import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, newFolder } from '../../support/service.ts';

/**
 * Simulates a machine with only Node.js, npm, git, a shell and the GNU core utilities, by its PATH.
 * npm may be any version, and runs on the Node.js that is installed here.
 */

/** The GNU core utilities that scripts may use. */
const UTILITIES =
  'basename cat chmod cp cut date dirname echo env expr false head id ln ls mkdir mktemp mv printf pwd readlink realpath rm rmdir sleep sort tail tee test touch tr true uname wc';
const PROGRAMS = ['npm', 'npx', 'sh', 'git', ...UTILITIES.split(' ')];

/** The settings that an install needs to reach the registry. */
const NETWORK = /^(?:https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(?:registry|cache))$/i;

export class BareMachine {
  readonly #folder = newFolder();
  readonly #scripts = join(this.#folder, 'scripts.log');
  readonly env: Environment;

  constructor() {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    for (const program of PROGRAMS) symlinkSync(found(program), join(bin, program));
    symlinkSync(installedNode(), join(bin, 'node'));
    const shell = join(this.#folder, 'shell');
    const note = `echo "$npm_package_name $npm_lifecycle_event" >> '${this.#scripts}'`;
    writeFileSync(shell, `#!/bin/sh\n${note}\nexec sh "$@"\n`, { mode: 0o755 });
    writeFileSync(this.#scripts, '');
    const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
    this.env = { ...Object.fromEntries(network), PATH: bin, npm_config_script_shell: shell };
  }

  /** Runs a version of npm in a folder, and returns what it prints. Throws if it fails. */
  npm(version: string, args: readonly string[], cwd: string): string {
    const { HOME = '' } = process.env;
    const { status, stdout, stderr } = spawnSync(
      join(this.env.PATH as string, 'npx'),
      // Without the warnings of the npm that fetches this one.
      ['--yes', '--prefer-offline', '--loglevel=error', `npm@${version}`, ...args],
      { cwd, env: { HOME, ...this.env }, encoding: 'utf8', timeout: 500_000 },
    );
    if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${status}\n${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** Returns the scripts that npm has run so far, as "package event". */
  get scripts(): readonly string[] {
    const lines = readFileSync(this.#scripts, 'utf8').trimEnd().split('\n');
    return lines.filter((line) => !line.endsWith(' npx'));
  }
}

function found(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

/** Returns the Node.js of this machine, not the one of the install. */
function installedNode(): string {
  const folders = (process.env.PATH ?? '')
    .split(':')
    .filter((dir) => !dir.includes('node_modules'));
  const nodes = folders.map((folder) => join(folder, 'node')).filter((node) => isProgram(node));
  return nodes[0] ?? process.execPath;
}

function isProgram(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Copies the project's tracked files, and untracked ones that are not ignored, into a new folder.
 */
export function cloneInto(folder: string): void {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', listing, { encoding: 'utf8' }).split('\0');
  for (const file of files.filter((name) => name !== '' && isProgram(name))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(resolve(file), join(folder, file));
  }
}

/** Returns a folder's disk usage in MB, as `du` measures it. */
export function megabytesOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const blocks = entries.reduce((sum, name) => sum + lstatSync(join(folder, name)).blocks, 0);
  return (blocks * 512) / 2 ** 20;
}
