import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NoteSigner } from '../../../../src/app/audit/proving/checkpoint.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import {
  type KeyFileKind,
  makeKeyFile,
  readKeyFile,
  removeUnfinished,
} from '../../../../src/infra/process/key-file.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const KIND: KeyFileKind<NoteSigner> = { parse: NoteSigner.parse, wayOut: 'Restore it.' };

it('A new key is in its file alone, for its owner only', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  const key = NoteSigner.generate('log');
  expect(makeKeyFile(file, key, KIND)).toBe(key);
  expect(readFileSync(file, 'utf8')).toBe(`${key.privateKey()}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toStrictEqual(['key']);
});

it('A key that another process has written meanwhile stays, and is returned', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  const other = makeKeyFile(file, NoteSigner.generate('log'), KIND);
  const key = makeKeyFile(file, NoteSigner.generate('log'), KIND);
  expect(key.privateKey()).toBe(other.privateKey());
  expect(readKeyFile(file, KIND)?.privateKey()).toBe(other.privateKey());
  expect(readdirSync(folder)).toStrictEqual(['key']);
});

it('A file with something else in it is not replaced', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  writeFileSync(file, 'mine');
  expect(() => makeKeyFile(file, NoteSigner.generate('log'), KIND)).toThrow(
    new UserError(
      `${file} is no signing key: a signing key reads PRIVATE+KEY+name+id+base64, with Ed25519. Restore it.`,
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readdirSync(folder)).toStrictEqual(['key']);
});

it('A folder that is missing is named', () => {
  const file = join(temporaryFolder(), 'none', 'key');
  expect(() => makeKeyFile(file, NoteSigner.generate('log'), KIND)).toThrow(
    `The signing key ${file} cannot be made: ENOENT`,
  );
});

it('A fault of the reader is no fault of the file', () => {
  const file = join(temporaryFolder(), 'key');
  makeKeyFile(file, NoteSigner.generate('log'), KIND);
  const parse = () => {
    throw new TypeError('a mistake');
  };
  expect(() => readKeyFile(file, { ...KIND, parse })).toThrow(new TypeError('a mistake'));
});

/** The end of the name that a killed process leaves. */
const LEFT = 'new-0b5c3a3e-5f3c-4a52-9d1e-0123456789ab';

it('What killed processes have left is removed with the next key, and nothing else', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  const others = ['key-new', 'key-new-one', `other-${LEFT}`, `key-${LEFT}-old`];
  for (const name of [...others, `key-${LEFT}`]) writeFileSync(join(folder, name), 'a key');
  makeKeyFile(file, NoteSigner.generate('log'), KIND);
  expect(readdirSync(folder).sort()).toStrictEqual(['key', ...others].sort());
  writeFileSync(join(folder, `key-${LEFT}`), 'a key');
  removeUnfinished(file);
  expect(readdirSync(folder).sort()).toStrictEqual(['key', ...others].sort());
  removeUnfinished(join(folder, 'none', 'key'));
});

it('A process whose unfinished file another one has removed takes the key of that one', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  const [key, other] = [NoteSigner.generate('log'), NoteSigner.generate('log')];
  // Between the writing of the file and its linking.
  const made = makeKeyFile(file, key, KIND, () => void makeKeyFile(file, other, KIND));
  expect(made.privateKey()).toBe(other.privateKey());
  expect(readdirSync(folder)).toStrictEqual(['key']);
});
