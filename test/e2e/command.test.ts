import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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

/** A clone whose build only notes that it was called for. */
function clone() {
  const folder = newFolder();
  for (const name of ['bin', 'tools', 'dist', 'src/http', 'test/kit', 'vendor']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  copyFileSync('bin/store-orders', join(folder, 'bin/store-orders'));
  const files = ['src/main.ts', 'src/http/app.ts', 'test/kit/index.ts', 'vendor/event-schema.js'];
  for (const name of [...files, 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.testing.json']) {
    writeFileSync(join(folder, name), '');
  }
  writeFileSync(join(folder, 'tools/build.js'), "process.stdout.write('built\\n');");
  writeFileSync(join(folder, 'dist/main.js'), "process.stdout.write('started\\n');");
  const read = () => {
    writeFileSync(join(folder, 'dist/.built-from'), '');
    const future = Date.now() / 1_000 + 1;
    utimesSync(join(folder, 'dist/.built-from'), future, future);
  };
  const started = (path = `${dirname(process.execPath)}:/usr/bin:/bin`) => {
    const command = join(folder, 'bin/store-orders');
    return spawnSync(command, [], { env: { PATH: path }, encoding: 'utf8' }).stdout;
  };
  const change = async (name: string, how: (file: string) => void) => {
    // More than the steps of the clock of a file system.
    await setTimeout(50);
    utimesSync(join(folder, 'dist/.built-from'), Date.now() / 1_000, Date.now() / 1_000);
    await setTimeout(50);
    how(join(folder, name));
  };
  return { folder, read, started, change };
}

it('In a clone, the sources are read again only after a change of theirs', async () => {
  const { folder, read, started, change } = clone();
  expect(started()).toBe('built\nstarted\n');
  read();
  expect(started()).toBe('started\n');
  const changes: [string, (file: string) => void][] = [
    ['src/http/app.ts', (file) => writeFileSync(file, 'changed')],
    ['test/kit/index.ts', (file) => rmSync(file)],
    ['vendor/event-schema.js', (file) => copyFileSync(join(folder, 'tsconfig.json'), file)],
    ['tsconfig.build.json', (file) => renameSync(join(folder, 'tsconfig.testing.json'), file)],
    ['tools/build.js', (file) => writeFileSync(file, "process.stdout.write('built again\\n');")],
    // With the time of an older file, as an archive unpacks it.
    [
      'src/main.ts',
      (file) => {
        writeFileSync(file, 'unpacked');
        utimesSync(file, 0, 0);
      },
    ],
  ];
  for (const [name, how] of changes) {
    await change(name, how);
    expect(started(), name).toMatch(/^built/);
    read();
    expect(started(), name).toBe('started\n');
  }
});
