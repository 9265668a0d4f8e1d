import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

/** Prints the text of a small file, or the reason why it cannot be read, in a process of its own. */
function readAside(file: string, shell: string): string {
  const module = new URL('../../../../src/infra/process/small-file.ts', import.meta.url);
  const script = `import { readSmallFile } from ${JSON.stringify(module.href)};
    try { console.log(readSmallFile(${JSON.stringify(file)})); } catch ({ message }) { console.log(message); }`;
  const environment = { ...process.env, NODE: process.execPath, SCRIPT: script };
  return spawnSync('bash', ['-c', shell], {
    env: environment,
    encoding: 'utf8',
    timeout: 20_000,
  }).stdout;
}

it('A pipe is refused at once, by its own name and by that of a link', () => {
  const pipe = join(temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const run = 'exec "$NODE" --input-type=module -e "$SCRIPT"';
  // Nobody writes into it.
  expect(readAside(pipe, run)).toBe('it is a pipe, not a file\n');
  const link = join(temporaryFolder(), 'link');
  symlinkSync(pipe, link);
  const writer = openSync(pipe, 'r+');
  writeFileSync(writer, 'text');
  expect(() => readBounded(link, 3)).toThrow(new Error('it is a pipe, not a file'));
  closeSync(writer);
});

it('A pipe of the process itself is read to its end', () => {
  const run = '"$NODE" --input-type=module -e "$SCRIPT"';
  expect(readAside('/dev/stdin', `(sleep 0.1; printf text) | ${run}`)).toBe('text\n');
  expect(readAside('/dev/fd/7', `${run} 7< <(printf text)`)).toBe('text\n');
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
