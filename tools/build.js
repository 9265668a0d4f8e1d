import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds `dist`, unless it was built from exactly the sources that are there now:
 *
 *   node tools/build.js [--with-types]
 *
 * Where the TypeScript compiler is installed, it compiles. A production install has none: there,
 * Node.js strips the types, which makes the same programs without declarations. With `--with-types`,
 * which is for `npm pack`, a compiler that is missing is installed first.
 *
 * This is JavaScript because it also runs on the Node.js 20 that npm may run on, and says there
 * what is missing.
 */

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const DIST = join(ROOT, 'dist');
/**
 * Names the sources and the form that `dist` was built from. Its time is that at which they were read:
 * `bin/store-orders` calls for a build only if one of them has been changed since.
 */
const STAMP = '.built-from';
/** More than the difference between the clocks of this process and of a file system. */
const CLOCK_MARGIN_S = 1;
/** The folders that `dist` is built from, and where in `dist` each of them is. */
const PARTS = { src: '.', 'test/kit': 'testing' };
const KIT = 'tsconfig.testing.json';
const SERVICE = 'tsconfig.build.json';
const SOURCES = [
  ...Object.keys(PARTS),
  ...['tools/build.js', 'vendor/event-schema.js', 'tsconfig.json', KIT, SERVICE],
];
/** Built by `npm run vendor`, into vendor/console. */
const CONSOLE = 'src/console';
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');

/** @param {{ withTypes?: boolean }} options */
export function build({ withTypes = false } = {}) {
  if (withTypes && !existsSync(COMPILER)) run('npm', ['ci', '--include=dev']);
  const isCompiled = existsSync(COMPILER);
  const readAt = Date.now() / 1_000 - CLOCK_MARGIN_S;
  const stamp = `${isCompiled ? 'compiled' : 'stripped'} ${hashOfSources()}\n`;
  if (isBuiltFrom(stamp)) {
    noteReading(DIST, readAt);
    return;
  }
  const folder = join(ROOT, `dist-${process.pid}`);
  try {
    mkdirSync(folder);
    if (isCompiled) compileTo(folder);
    else stripTo(folder);
    copyAssets(folder);
    writeFileSync(join(folder, STAMP), stamp);
    noteReading(folder, readAt);
    replaceDist(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} stamp */
function isBuiltFrom(stamp) {
  const file = join(DIST, STAMP);
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/**
 * Whoever may not write into `dist` reads the sources at every start.
 * @param {string} folder
 * @param {number} at in seconds
 */
function noteReading(folder, at) {
  try {
    utimesSync(join(folder, STAMP), at, at);
  } catch (error) {
    if (folder !== DIST) throw error;
  }
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const files = source.includes('.') ? [source] : filesIn(source);
    for (const file of files) {
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(ROOT, file)))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

/**
 * The files in a folder and in those below it, by name, without those of the console.
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  if (folder === CONSOLE) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesIn(path) : [path];
    });
}

/** @param {string} folder */
function compileTo(folder) {
  run(process.execPath, [COMPILER, '-p', KIT, '--outDir', join(folder, PARTS['test/kit'])]);
  // The command line imports the kit as users do. Its types are those of this very build.
  const configuration = {
    extends: join(ROOT, SERVICE),
    compilerOptions: {
      outDir: '.',
      rootDir: join(ROOT, 'src'),
      paths: { 'store-orders/testing': ['./testing/index.d.ts'] },
    },
    include: [join(ROOT, 'src')],
    exclude: [join(ROOT, CONSOLE)],
  };
  const file = join(folder, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(configuration));
  run(process.execPath, [COMPILER, '-p', file]);
  rmSync(file);
}

/** @param {string} folder */
function stripTo(folder) {
  const { stripTypeScriptTypes } = nodeModule;
  if (stripTypeScriptTypes === undefined) {
    throw new Error(`it takes Node.js 24 or newer, and this is ${process.version}`);
  }
  // Node.js calls this function experimental, although it runs TypeScript by it without a word.
  process.on('warning', () => undefined);
  process.removeAllListeners('warning');
  for (const [source, part] of Object.entries(PARTS)) {
    for (const file of filesIn(source).filter((name) => name.endsWith('.ts'))) {
      const target = join(folder, part, file.slice(source.length).replace(/\.ts$/, '.js'));
      const code = stripTypeScriptTypes(readFileSync(join(ROOT, file), 'utf8'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, code.replaceAll(RELATIVE_IMPORT, '$1.js$2'));
    }
  }
}

/** Ends in `.ts`, between quotes, behind `from`, `import` or `import(`. */
const RELATIVE_IMPORT = /(\b(?:from|import)[ (]*'\.{1,2}\/[^'\n]*)\.ts(')/g;

/** @param {string} folder */
function copyAssets(folder) {
  for (const file of filesIn('src').filter((name) => /\.(?:css|json|svg)$/.test(name))) {
    cpSync(join(ROOT, file), join(folder, file.slice('src'.length)));
  }
  // With the packages that it needs inside it: see vendor/README.md.
  cpSync(join(ROOT, 'vendor/event-schema.js'), join(folder, 'infra/events/schema.js'));
  rmSync(join(folder, 'infra/events/schema.js.map'), { force: true });
}

/**
 * Puts the folder into the place of `dist`. Whoever did so in the meantime has built the same.
 * @param {string} folder
 */
function replaceDist(folder) {
  const old = `${folder}-old`;
  if (existsSync(DIST)) renameSync(DIST, old);
  try {
    renameSync(folder, DIST);
  } catch (error) {
    if (!existsSync(DIST)) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

/**
 * Runs a program; what it prints goes to standard error, because `npm pack` prints a name.
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`, { cause: error });
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    build({ withTypes: process.argv.includes('--with-types') });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`store-orders: dist cannot be built: ${reason}\n`);
    process.exitCode = 1;
  }
}
