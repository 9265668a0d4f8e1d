import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Compiles the kit into `dist` beside this file, for `npm pack`:
 *
 *   node pack.js [--clean]
 *
 * With `--clean`, removes it again.
 */

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = resolve(HERE, '../..');
const DIST = join(HERE, 'dist');

rmSync(DIST, { recursive: true, force: true });
if (!process.argv.includes('--clean')) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const args = [
    compiler,
    '-p',
    join(ROOT, 'tsconfig.testing.json'),
    '--outDir',
    DIST,
    '--sourceMap',
    'false',
  ];
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  process.exitCode = status ?? 1;
}
