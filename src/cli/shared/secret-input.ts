/** The reading of a secret: a line of standard input, which a terminal does not show. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CannotStart } from '../../app/lifecycle/cannot-start.ts';
import { guardSecret } from '../../app/secrets.ts';
import type { Terminal } from './command-line.ts';

/** Reads a secret. On a terminal it is asked for by its name. */
export async function readSecret(name: string, { stdin, stderr }: Terminal): Promise<string> {
  const isAsked = stdin.isTTY === true;
  // readline echoes to its output what is typed on a terminal: there is none.
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: isAsked });
  // From now on the terminal shows nothing.
  if (isAsked) stderr.write(`${name}: `);
  try {
    const { value = '' } = await lines[Symbol.asyncIterator]().next();
    const secret = value.trim();
    if (secret === '') throw new CannotStart(`No ${name} was given on standard input.`);
    guardSecret(secret);
    return secret;
  } finally {
    lines.close();
    if (isAsked) stderr.write('\n');
  }
}
