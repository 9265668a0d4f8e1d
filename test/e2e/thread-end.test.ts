import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { Program } from '../support/service.ts';

/** Resolves with the end of a program that ends threads while they start, and with what it has printed. */
async function outcomeOf(threads: number, ending: 'as it is' | 'at once') {
  const file = resolve('test/support/programs/end-threads.ts');
  await using program = new Program(process.execPath, [file, `${threads}`, ending], '.', {});
  const ended = await program.ended();
  return { ended, stdout: program.stdout, stderr: program.stderr };
}

describe('A thread that is ended while it starts', () => {
  it('does not end the process', async () => {
    expect(await outcomeOf(isNightly ? 120 : 40, 'as it is')).toStrictEqual({
      ended: 0,
      stdout: 'all have ended\n',
      stderr: '',
    });
  });

  // It happens by chance, to one thread in hundreds: to wait for it takes minutes of a processor.
  it.runIf(isNightly)('would end it if Node.js interrupted the loading of SQLite', async () => {
    const { ended, stdout, stderr } = await outcomeOf(2_000, 'at once');
    expect(ended).toMatch(/^SIG/);
    expect(stdout + stderr).toContain('Native stack trace');
    expect(stdout).not.toContain('all have ended');
  });
});
