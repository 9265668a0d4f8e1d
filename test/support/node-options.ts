import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The options that `bin/store-orders` gives to Node.js: with other ones, memory is another. */
export const NODE_OPTIONS: readonly string[] =
  readFileSync(join(resolve(import.meta.dirname, '../..'), 'bin/store-orders'), 'utf8').match(
    /--\w+-semi-space-size=\d+/g,
  ) ?? [];
