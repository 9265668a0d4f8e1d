import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Undoes what npm gets wrong, whenever it has changed `node_modules`: our script `dependencies` runs it.
 * It is no script `prepare`, because with one `npx store-orders` is refused in a clone
 * (`strict-allow-scripts`). It is JavaScript, because it runs on the Node.js that npm runs on.
 */

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Has a `binding.gyp`, and its programs for every platform inside the package. */
const READY_MADE = 'node_modules/better-sqlite3';

/**
 * Takes out of the lockfile what makes npm run a package's install script.
 *
 * npm 11 runs none, because of `allowScripts` in package.json; npm 10, which comes with Node.js 20,
 * does not know that setting. It runs the scripts of packages that the lockfile marks with
 * `hasInstallScript`, and compiles those with a `binding.gyp` unless their `gypfile` is false, which
 * npm leaves out of the lockfile that it writes (npm/cli#9837).
 */
function mendLockfile() {
  const file = join(ROOT, 'package-lock.json');
  const before = readFileSync(file, 'utf8');
  const lock = JSON.parse(before);
  for (const [path, entry] of Object.entries(lock.packages)) {
    delete entry.hasInstallScript;
    if (path === READY_MADE) entry.gypfile = false;
  }
  const after = `${JSON.stringify(lock, null, 2)}\n`;
  if (after !== before) writeFileSync(file, after);
}

/**
 * Links the Node.js that was installed to where `npm run` finds it. npm 10 links it, and then
 * removes the link for the sake of the package for the other processor, which has the same.
 */
function linkNode() {
  const link = join(ROOT, 'node_modules/.bin/node');
  const program = `node-linux-${process.arch}/bin/node`;
  const isThere = process.platform === 'linux' && existsSync(join(ROOT, 'node_modules', program));
  if (isThere && !existsSync(link)) symlinkSync(`../${program}`, link);
}

mendLockfile();
linkNode();
