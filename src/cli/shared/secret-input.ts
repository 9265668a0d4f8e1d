/** The reading of an API key: a line of standard input, which a terminal does not show. */

import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { guardSecret } from '../../app/secrets.ts';
import type { Terminal } from './command-line.ts';

/** Longer than any key, in UTF-16 code units. */
const MAX_LENGTH = 4_096;

/** Reads an API key. On a terminal it is asked for. */
export async function readKey(terminal: Terminal): Promise<string> {
  const { stdin } = terminal;
  const line = stdin.isTTY === true ? await typedLine(terminal) : await firstLine(stdin);
  const key = line.trim();
  if (key === '') throw new UserError('No API key was given on standard input.');
  if (key.length > MAX_LENGTH) throw new UserError('What was given is too long for any API key.');
  guardSecret(key);
  return key;
}

async function typedLine({ stdin, stderr }: Terminal): Promise<string> {
  // readline echoes to its output what is typed on a terminal: there is none.
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output, terminal: true });
  // From now on the terminal shows nothing.
  stderr.write('API key: ');
  try {
    const { value = '' } = await lines[Symbol.asyncIterator]().next();
    return value;
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/** Resolves with a line, or with the beginning of one that is too long: it may have no end. */
async function firstLine(stdin: Terminal['stdin']): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.includes('\n') || text.length > MAX_LENGTH) break;
  }
  return text.split('\n', 1)[0] ?? '';
}
