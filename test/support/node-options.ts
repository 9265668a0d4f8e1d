import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const COMMAND = readFileSync(resolve(import.meta.dirname, '../../bin/store-orders'), 'utf8');

/** The options that `bin/store-orders` gives to Node.js. Without them, a process takes other memory. */
export const NODE_OPTIONS = COMMAND.match(/--\w+-semi-space-size=\d+/g) ?? [];
