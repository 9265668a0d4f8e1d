import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/shared/exit-codes.ts';
import { Place } from '../../support/command-line.ts';
import { newFolder } from '../../support/service.ts';

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;

async function manual(): Promise<string> {
  const { code, out } = await new Place().run('man');
  expect(code).toBe(0);
  const file = join(newFolder(), 'store-orders.1');
  writeFileSync(file, out);
  return file;
}

test.skipIf(!isThere('mandoc'))('mandoc finds nothing to complain about', async () => {
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', await manual()], {
    encoding: 'utf8',
  });
  expect(stdout + stderr).toBe('');
});

test.skipIf(!isThere('man'))('man shows it without a warning', async () => {
  const env = { ...process.env, MANWIDTH: '80', LC_ALL: 'C.UTF-8' };
  const args = ['--warnings', '-l', await manual()];
  const { status, stdout, stderr } = spawnSync('man', args, { env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('keys create');
  for (const meaning of Object.values(EXIT_CODES)) {
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(meaning);
  }
});
