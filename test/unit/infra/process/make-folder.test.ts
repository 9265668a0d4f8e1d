import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../../src/infra/process/make-folder.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { canMount, SmallDisk } from '../../../support/small-disk.ts';

it('A folder is made with those above it, for its owner only, and may be there', () => {
  const folder = join(temporaryFolder(), 'a/b');
  makeFolder(folder);
  makeFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it('A file in its way is named', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(join(file, 'a'))).toThrow(/ENOTDIR/);
});

it.skipIf(!canMount)('On a read-only file system the reason is that it is one', () => {
  const disk = new SmallDisk(64);
  disk.remount('ro');
  for (const path of ['a', 'a/b/c']) {
    expect(() => makeFolder(join(disk.folder, path))).toThrow(/EROFS/);
  }
});

it('Where none can be made in a folder that exists, that is the reason', () => {
  for (const path of ['/proc/a', '/proc/a/b/c']) expect(() => makeFolder(path)).toThrow(/ENOENT/);
});
