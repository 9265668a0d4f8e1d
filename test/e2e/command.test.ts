import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder } from '../support/service.ts';

it('Without a Node.js of the install, the command uses that of the PATH if it is new enough', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'path'));
  const command = join(folder, 'bin/store-orders');
  copyFileSync('bin/store-orders', command);
  symlinkSync(resolve('dist'), join(folder, 'dist'));
  const PATH = `${join(folder, 'path')}:/usr/bin:/bin`;

  symlinkSync(process.execPath, join(folder, 'path/node'));
  const taken = spawnSync(command, ['--version'], { env: { PATH }, encoding: 'utf8' });
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect([taken.status, taken.stdout, taken.stderr]).toStrictEqual([0, `${version}\n`, '']);

  // As if Node.js were not installed at all.
  const without = { PATH: join(folder, 'nothing') };
  mkdirSync(without.PATH);
  for (const name of ['readlink', 'uname']) {
    symlinkSync(`/usr/bin/${name}`, join(without.PATH, name));
  }
  const refused = spawnSync(command, ['--version'], { env: without, encoding: 'utf8' });
  expect([refused.status, refused.stderr]).toStrictEqual([
    1,
    expect.stringMatching(/^store-orders needs Node\.js 24 or newer, and finds none\. [^\n]+\n$/),
  ]);
});
