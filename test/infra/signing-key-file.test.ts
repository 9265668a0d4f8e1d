import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../src/app/audit/checkpoint.ts';
import { CannotStart } from '../../src/app/cannot-start.ts';
import {
  openSigningKey,
  readVerifierKey,
  type SigningKeyPlace,
} from '../../src/infra/signing-key-file.ts';
import { startProgram } from '../support/child.ts';
import { temporaryFolder } from '../support/folder.ts';

const ID = '0011223344556677';

function given() {
  const folder = temporaryFolder();
  const databaseFile = join(folder, 'store.db');
  const place = { databaseFile, signingKeyFile: undefined };
  return { folder, place, file: `${databaseFile}-signing-key` };
}

function openKey(place: SigningKeyPlace): NoteSigner {
  return openSigningKey(place, ID) ?? expect.fail('there is no key');
}

describe('the signing key of a store', () => {
  it('is made at first, for its owner only, and stays the same', () => {
    const { folder, place, file } = given();
    expect(readVerifierKey(place)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    const key = openKey(place);
    expect(key.name).toBe(`store-orders/${ID}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${key.privateKey()}\n`);
    expect(readdirSync(folder)).toEqual(['store.db-signing-key']);
    expect(openKey(place).verifierKey).toBe(key.verifierKey);
    expect(readVerifierKey(place)).toBe(key.verifierKey);
  });

  it('is one, however many processes make it at once', async () => {
    const { folder, place } = given();
    const programs = Array.from({ length: 4 }, () =>
      startProgram('make-signing-keys', folder, '30', ID),
    );
    const told = await Promise.all(programs.map(async (program) => await program.line()));
    expect(new Set(told).size).toBe(1);
    expect(told[0]?.split(' ')).toHaveLength(30);
    expect(readdirSync(folder)).toHaveLength(30);
    expect(readVerifierKey({ ...place, signingKeyFile: join(folder, 'key-0') })).toBeDefined();
  });

  it('may be kept elsewhere, under any name', () => {
    const { folder, place } = given();
    const signingKeyFile = join(folder, 'elsewhere');
    const key = NoteSigner.generate('orders.example/log');
    writeFileSync(signingKeyFile, `${key.privateKey()}\r\n`);
    expect(openKey({ ...place, signingKeyFile }).verifierKey).toBe(key.verifierKey);
    expect(readVerifierKey({ ...place, signingKeyFile })).toBe(key.verifierKey);
    expect(readVerifierKey(place)).toBeUndefined();
  });

  it('is none where there is no place for it', () => {
    expect(openSigningKey({ signingKeyFile: undefined }, ID)).toBeUndefined();
    expect(readVerifierKey({ signingKeyFile: undefined })).toBeUndefined();
  });

  it('is not that of another store', () => {
    const { place, file } = given();
    openSigningKey(place, ID);
    expect(() => openSigningKey(place, 'ffeeddccbbaa9988')).toThrow(
      new CannotStart(
        `${file} is the key of store-orders/${ID}, and this store is ` +
          'store-orders/ffeeddccbbaa9988. Nothing was changed. Put the key of this store there; ' +
          'to sign as another on purpose, set SIGNING_KEY_FILE',
      ),
    );
  });

  it.each([
    ['nothing', '', /PRIVATE\+KEY\+name\+id\+base64/],
    ['half of one', 'PRIVATE+KEY+store-orders/00112233', /PRIVATE\+KEY\+name\+id\+base64/],
    ['two', `${NoteSigner.generate('a').privateKey()}\n`.repeat(2), /PRIVATE\+KEY/],
    ['one whose id is another', damaged(), /id is not that of its name and key/],
  ])('is refused where the file holds %s, and left as it is', (_, text, reason) => {
    const { place, file } = given();
    writeFileSync(file, text);
    for (const read of [() => openSigningKey(place, ID), () => readVerifierKey(place)]) {
      expect(read).toThrow(CannotStart);
      expect(read).toThrow(`${file} is no signing key: `);
      expect(read).toThrow(reason);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is never quoted in what is said of it', () => {
    const { place, file } = given();
    const text = damaged();
    writeFileSync(file, text);
    expect(() => openSigningKey(place, ID)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(text.slice(-44)) }),
    );
  });

  it('is told of where its file cannot be read, or not be made', () => {
    const { folder, place, file } = given();
    const signingKeyFile = join(folder, 'nowhere', 'key');
    expect(() => openSigningKey({ ...place, signingKeyFile }, ID)).toThrow(
      `The signing key ${signingKeyFile} cannot be made: ENOENT`,
    );
    mkdirSync(file);
    expect(() => openSigningKey(place, ID)).toThrow(
      `The signing key ${file} cannot be read: EISDIR`,
    );
  });

  it('is not made where a link leads nowhere', () => {
    const { folder, place, file } = given();
    symlinkSync(join(folder, 'unplugged'), file);
    expect(() => openSigningKey(place, ID)).toThrow(
      `The signing key ${file} cannot be made: EEXIST`,
    );
    expect(readdirSync(folder)).toEqual(['store.db-signing-key']);
  });
});

function damaged(): string {
  const text = NoteSigner.generate('log').privateKey();
  const [, , , id = ''] = text.split('+');
  return text.replace(`+${id}+`, `+${id.startsWith('0') ? '1' : '0'}${id.slice(1)}+`);
}
