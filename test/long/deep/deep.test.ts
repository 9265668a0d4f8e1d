import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';

const run = promisify(execFile);
const DEEP = resolve('test/long/deep/deep.ts');

test('it runs the levels in turn until its time is over, and writes down the seeds', async () => {
  const cwd = temporaryFolder();
  const args = [DEEP, '--minutes', '0.02', '--seed', '5', '--only', 'decider'];
  const { stdout } = await run(process.execPath, args, { cwd });
  expect(stdout).toMatch(/^decider: \d+ programs, \d+ commands, \d+\/s$/m);
  const [, report = ''] = /^The seeds are in (\S+)\.$/m.exec(stdout) ?? [];
  const { results } = JSON.parse(readFileSync(resolve(cwd, report), 'utf8'));
  expect(results[0]).toMatchObject({ target: 'decider', seed: 5 });
  expect(results[0].steps).toBeGreaterThan(1_000);
});

test('a mistake in its arguments is reported', async () => {
  await expect(run(process.execPath, [DEEP, '--minutes', 'x'])).rejects.toMatchObject({
    stderr: expect.stringContaining('Not a number.'),
  });
});
