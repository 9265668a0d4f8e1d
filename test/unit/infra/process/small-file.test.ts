import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import {
  readBounded,
  readSmallFile,
  requireSmallFile,
  TooLong,
} from '../../../../src/infra/process/small-file.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const MAX_BYTES = 1_048_576;

function fileOf(bytes: string | Buffer): string {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, bytes);
  return file;
}

it.each([0, 1, 65_536, 65_537, MAX_BYTES])('A file of %i bytes is read whole', (length) => {
  const bytes = Buffer.alloc(length, 'x');
  expect(readSmallFile(fileOf(bytes)) === bytes.toString()).toBe(true);
  expect(readBounded(fileOf(bytes), length).equals(bytes)).toBe(true);
});

it.each([1, 65_536, MAX_BYTES])('A file of more than %i bytes is refused', (maxBytes) => {
  const file = fileOf(Buffer.alloc(maxBytes + 1));
  const refused = new TooLong(`it has more than ${maxBytes} bytes`);
  expect(() => readBounded(file, maxBytes)).toThrow(refused);
});

it('The text is that of the file, to the byte', () => {
  expect(readSmallFile(fileOf('\ufeffa\r\n\0'))).toBe('\ufeffa\r\n\0');
  expect(() => readSmallFile(fileOf(Buffer.of(0xc3)))).toThrow('it is not UTF-8');
});

it('A folder, a device without an end and a missing file are no small files', () => {
  const folder = join(temporaryFolder(), 'folder');
  mkdirSync(folder);
  expect(() => readSmallFile(folder)).toThrow('it is a folder');
  expect(() => readSmallFile('/dev/zero')).toThrow('it has more than 1048576 bytes');
  const reason = `${folder}/none cannot be read: ENOENT: no such file or directory, open '${folder}/none'`;
  expect(() => requireSmallFile(`${folder}/none`)).toThrow(new UserError(reason));
});

it.runIf(existsSync('/proc/self/fd'))('No file stays open, read or refused', () => {
  const file = fileOf('text');
  const before = readdirSync('/proc/self/fd').length;
  for (let turn = 0; turn < 100; turn += 1) {
    readBounded(file, 4);
    expect(() => readBounded(file, 3)).toThrow(TooLong);
  }
  expect(readdirSync('/proc/self/fd').length - before).toBeLessThan(100);
});
