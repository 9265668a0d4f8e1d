import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** Resolves with what a program prints that ends threads while they start, and how it ends itself. */
async function ended(threads: number, ending: 'as it is' | 'at once') {
  const program = 'test/support/programs/end-threads.ts';
  const child = spawn(process.execPath, [program, `${threads}`, ending]);
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  child.stderr.on('data', (part) => {
    text += part;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, text };
}

describe('A thread that is ended while it starts', () => {
  it('does not end the process', async () => {
    expect(await ended(120, 'as it is')).toStrictEqual({
      code: 0,
      signal: null,
      text: 'all have ended\n',
    });
  });

  it('would end it if Node.js interrupted the loading of SQLite', async () => {
    const { code, text } = await ended(2_000, 'at once');
    expect(code).toBeNull();
    expect(text).toContain('Native stack trace');
    expect(text).not.toContain('all have ended');
  });
});
