import { describe, expect, test } from 'vitest';
import { endInWords, runInShell } from '../../../src/cli/shared/shell-command.ts';
import { newFolder, Program } from '../../support/service.ts';

const PROGRAM = new URL('../../support/programs/shell-without-descriptors.ts', import.meta.url)
  .pathname;

describe('A command that cannot be started', () => {
  test('for want of a file descriptor has failed, and leaves no timer behind', async () => {
    const limited = ['-c', 'ulimit -n 256 && exec "$0" "$@"', process.execPath, PROGRAM];
    const began = performance.now();
    await using program = new Program('/bin/sh', limited, newFolder(), {});
    expect(await program.ended(), program.stderr).toBe(0);
    expect(performance.now() - began).toBeLessThan(30_000);
    expect(JSON.parse(program.stdout)).toEqual({
      code: null,
      signal: null,
      problem: expect.stringContaining('EMFILE'),
      isLate: false,
    });
  });

  test('because it is none has failed', async () => {
    const ended = await runInShell('true \0', { timeoutMs: 60_000 });
    expect(ended.code).toBeNull();
    expect(endInWords(ended, 60_000)).toMatch(/^it cannot be started: .*null bytes/);
  });

  test('with more variables than fit has failed', async () => {
    const environment = { LONG: 'x'.repeat(1 << 22) };
    const ended = await runInShell('true', { timeoutMs: 60_000, environment });
    expect(endInWords(ended, 60_000)).toMatch(/^it cannot be started: .*E2BIG/);
  });
});
