/**
 * Runs the command line, as in `store-orders ARGUMENTS`, and prints the modules that it has loaded to
 * standard error, one a line, below its own output: packages by name, others by their path in dist.
 */

import { registerHooks } from 'node:module';
import { resolve } from 'node:path';

const DIST = new URL(`file://${resolve('dist')}/`).href;
const loaded = new Set<string>();

registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    else if (url.startsWith(DIST)) loaded.add(url.slice(DIST.length));
    return next(url, context);
  },
});

process.on('exit', () => process.stderr.write([...loaded].map((name) => `${name}\n`).join('')));
await import(`${DIST}main.js`);
