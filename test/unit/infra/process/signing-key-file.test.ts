import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../../src/app/audit/proving/checkpoint.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import type { SignedWith } from '../../../../src/app/ports/signing-keys.ts';
import type { Instant } from '../../../../src/domain/instant.ts';
import { MemorySigningKeys } from '../../../../src/infra/memory/signing-keys.ts';
import {
  openSigningKey,
  readVerifierKey,
  renewSigningKey,
  type SigningKeyPlace,
  type SigningStore,
} from '../../../../src/infra/process/signing-key-file.ts';
import { startProgram } from '../../../support/child.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const ID = '0011223344556677';

function given() {
  const folder = temporaryFolder();
  const databaseFile = join(folder, 'store.db');
  const place = { databaseFile, signingKeyFile: undefined };
  return { folder, place, file: `${databaseFile}-signing-key`, store: newStore() };
}

function newStore(id = ID): SigningStore {
  return { id, signingKeys: new MemorySigningKeys() };
}

async function openKey(place: SigningKeyPlace, store = newStore()): Promise<NoteSigner> {
  return (await openSigningKey(place, store)) ?? expect.fail('there is no key');
}

describe('the signing key of a store', () => {
  it('is made at first, for its owner only, and stays the same', async () => {
    const { folder, place, file, store } = given();
    expect(readVerifierKey(place)).toBeUndefined();
    expect(readdirSync(folder)).toEqual([]);
    const key = await openKey(place, store);
    expect(key.name).toBe(`store-orders/${ID}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${key.privateKey()}\n`);
    expect(readdirSync(folder)).toEqual(['store.db-signing-key']);
    expect((await openKey(place, store)).verifierKey).toBe(key.verifierKey);
    expect(readVerifierKey(place)).toBe(key.verifierKey);
    expect(await store.signingKeys.list()).toEqual([
      { verifierKey: key.verifierKey, since: expect.stringMatching(/Z$/) },
    ]);
  });

  it('is the only file that a start leaves, after one that was killed while it made the key', async () => {
    const { folder, place, file, store } = given();
    const key = await openKey(place, store);
    linkSync(file, `${file}-new-${randomUUID()}`);
    expect((await openKey(place, store)).verifierKey).toBe(key.verifierKey);
    expect(readdirSync(folder)).toEqual(['store.db-signing-key']);
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

  it('may be kept elsewhere, under any name', async () => {
    const { folder, place } = given();
    const signingKeyFile = join(folder, 'elsewhere');
    const key = NoteSigner.generate('orders.example/log');
    writeFileSync(signingKeyFile, `${key.privateKey()}\r\n`);
    expect((await openKey({ ...place, signingKeyFile })).verifierKey).toBe(key.verifierKey);
    expect(readVerifierKey({ ...place, signingKeyFile })).toBe(key.verifierKey);
    expect(readVerifierKey(place)).toBeUndefined();
  });

  it('is absent if there is no place for it', async () => {
    const store = newStore();
    expect(await openSigningKey({ signingKeyFile: undefined }, store)).toBeUndefined();
    expect(await store.signingKeys.list()).toEqual([]);
    await expect(renewSigningKey({ signingKeyFile: undefined }, store)).rejects.toThrow(
      new UserError('No file for the signing key is configured: set SIGNING_KEY_FILE.'),
    );
    expect(readVerifierKey({ signingKeyFile: undefined })).toBeUndefined();
  });

  it('is not that of another store', async () => {
    const { place, file, store } = given();
    await openKey(place);
    const other = newStore('ffeeddccbbaa9988');
    for (const open of [openSigningKey, renewSigningKey]) {
      await expect(open(place, other)).rejects.toThrow(
        new UserError(
          `${file} is the key of store-orders/${ID}, and this store is ` +
            'store-orders/ffeeddccbbaa9988. Put the key of this store there; ' +
            'to sign as another on purpose, set SIGNING_KEY_FILE',
        ),
      );
    }
    expect(await other.signingKeys.list()).toEqual([]);
    expect((await openKey(place, store)).name).toBe(`store-orders/${ID}`);
  });

  it('has the name that the log was given when it was made, from then on', async () => {
    const { place, file, store } = given();
    const named = { ...place, logOrigin: 'shop.example.com/orders' };
    const key = await openKey(named, store);
    expect(key.name).toBe('shop.example.com/orders');
    const text = readFileSync(file, 'utf8');
    for (const later of [named, place]) {
      expect((await openKey(later, store)).verifierKey).toBe(key.verifierKey);
    }
    const renamed = { ...place, logOrigin: 'other.example.com' };
    const wrong = `LOG_ORIGIN is other.example.com, and ${file} is the key of shop.example.com/orders. `;
    await expect(openKey(renamed, store)).rejects.toThrow(wrong);
    await expect(openKey({ ...renamed, signingKeyFile: file }, store)).rejects.toThrow(wrong);
    expect(readFileSync(file, 'utf8')).toBe(text);
    renameSync(file, `${file}-1`);
    const second = await renewSigningKey(place, store);
    expect(second.verifierKey).toMatch(/^shop\.example\.com\/orders\+/);
    renameSync(file, `${file}-2`);
    const { verifierKey } = await renewSigningKey(renamed, store);
    expect(verifierKey).toMatch(/^other\.example\.com\+/);
    expect((await openKey(renamed, store)).verifierKey).toBe(verifierKey);
  });

  it('of another name is not taken for a new one of the given name', async () => {
    const { place, file, store } = given();
    const foreign = NoteSigner.generate('other.example.com');
    writeFileSync(file, `${foreign.privateKey()}\n`);
    const named = { ...place, logOrigin: 'shop.example.com/orders' };
    await expect(renewSigningKey(named, store)).rejects.toThrow(UserError);
    await expect(openKey(place, store)).rejects.toThrow(UserError);
    const { name } = await openKey({ ...place, logOrigin: foreign.name }, store);
    expect(name).toBe(foreign.name);
  });

  it('is detected as missing, and created again only on request', async () => {
    const { folder, place, file, store } = given();
    const first = await openKey(place, store);
    renameSync(file, join(folder, 'first'));
    await expect(openSigningKey(place, store)).rejects.toThrow(
      new UserError(
        `${file} is missing, and this store has signed with the key in it. ` +
          'Restore a copy of the file; or, if it is lost, create a new key and inform ' +
          'auditors: store-orders audit new-key',
      ),
    );
    expect(readdirSync(folder)).toEqual(['first']);
    const renewed = await renewSigningKey(place, store);
    expect(renewed).toMatchObject({ file, isMade: true, before: first.verifierKey });
    expect(renewed.verifierKey).not.toBe(first.verifierKey);
    expect((await openKey(place, store)).verifierKey).toBe(renewed.verifierKey);
    await expect(renewSigningKey(place, store)).rejects.toThrow(
      new UserError(
        `${file} has the key that signs for this store. To sign with a new ` +
          'one, move that file away first, and keep it.',
      ),
    );
    // The one that was lost is found again.
    renameSync(join(folder, 'first'), file);
    await expect(openSigningKey(place, store)).rejects.toThrow(
      new UserError(
        `${file} has another key than the one that signs for this store: an earlier one of it. ` +
          'Put a copy of the present one there; or, if that is lost, move this file away, create ' +
          'a new key and inform auditors: store-orders audit new-key',
      ),
    );
    expect(await renewSigningKey(place, store)).toMatchObject({
      isMade: false,
      verifierKey: first.verifierKey,
      before: renewed.verifierKey,
    });
    expect((await openKey(place, store)).verifierKey).toBe(first.verifierKey);
    const known = (await store.signingKeys.list()).map(({ verifierKey }) => verifierKey);
    expect(known).toEqual([first.verifierKey, renewed.verifierKey, first.verifierKey]);
  });

  it('is not exchanged for another without a word', async () => {
    const { folder, place, store } = given();
    const signingKeyFile = join(folder, 'elsewhere');
    await openKey(place, store);
    writeFileSync(signingKeyFile, `${NoteSigner.generate('another').privateKey()}\n`);
    await expect(openSigningKey({ ...place, signingKeyFile }, store)).rejects.toThrow(
      new UserError(
        `${signingKeyFile} has another key than the one that signs for this store. ` +
          'Restore the key of this store; or sign with the other one from now on ' +
          'and inform auditors: store-orders audit new-key',
      ),
    );
  });

  it('is whichever is there for a store from before keys were noted, but must be there', async () => {
    const { place, file } = given();
    const key = await openKey(place);
    const old = newStore();
    await old.signingKeys.add({ verifierKey: '', since: '' as Instant }, 0);
    expect((await openKey(place, old)).verifierKey).toBe(key.verifierKey);
    expect((await old.signingKeys.list()).at(-1)?.verifierKey).toBe(key.verifierKey);
    const lost = newStore();
    await lost.signingKeys.add({ verifierKey: '', since: '' as Instant }, 0);
    rmSync(file);
    await expect(openSigningKey(place, lost)).rejects.toThrow(`${file} is missing`);
    expect(await renewSigningKey(place, lost)).toMatchObject({ isMade: true, before: undefined });
  });

  it('is the one that another process has noted meanwhile', async () => {
    const { folder, place } = given();
    const others = NoteSigner.generate('other').verifierKey;
    const store = newStore();
    const { signingKeys } = store;
    const slow = {
      id: ID,
      signingKeys: {
        list: () => signingKeys.list(),
        async add(key: SignedWith, known: number) {
          if (known === 0) await signingKeys.add({ ...key, verifierKey: others }, known);
          return signingKeys.add(key, known);
        },
      },
    };
    const signingKeyFile = join(folder, 'elsewhere');
    const there = { ...place, signingKeyFile };
    await expect(openSigningKey(there, slow)).rejects.toThrow('has another key than the one');
    expect((await signingKeys.list()).map(({ verifierKey }) => verifierKey)).toEqual([others]);
    const meanwhile = {
      id: ID,
      signingKeys: { list: slow.signingKeys.list, add: async () => false },
    };
    await expect(renewSigningKey(there, meanwhile)).rejects.toThrow(
      new UserError('Another process has changed the key meanwhile. Run the command again.'),
    );
  });

  it.each([
    ['nothing', '', /PRIVATE\+KEY\+name\+id\+base64/],
    ['half of one', 'PRIVATE+KEY+store-orders/00112233', /PRIVATE\+KEY\+name\+id\+base64/],
    ['two', `${NoteSigner.generate('a').privateKey()}\n`.repeat(2), /PRIVATE\+KEY/],
    ['one whose id is another', damaged(), /id is not that of its name and key/],
  ])('is refused if the file contains %s, and left unchanged', async (_, text, reason) => {
    const { place, file } = given();
    writeFileSync(file, text);
    const asked = [openKey, async () => readVerifierKey(place), renewSigningKey];
    for (const read of asked) {
      const refused = expect(read(place, newStore())).rejects;
      await refused.toThrow(UserError);
      await refused.toThrow(`${file} is no signing key: `);
      await refused.toThrow(reason);
    }
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is never quoted in messages', async () => {
    const { place, file } = given();
    const text = damaged();
    writeFileSync(file, text);
    await expect(openKey(place)).rejects.toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(text.slice(-44)) }),
    );
  });

  it('is reported if its file cannot be read or created', async () => {
    const { folder, place, file } = given();
    const signingKeyFile = join(folder, 'nowhere', 'key');
    await expect(openKey({ ...place, signingKeyFile })).rejects.toThrow(
      `The signing key ${signingKeyFile} cannot be made: ENOENT`,
    );
    mkdirSync(file);
    await expect(openKey(place)).rejects.toThrow(
      `The signing key ${file} cannot be read: it is a folder.`,
    );
  });

  it('is not created at a dangling link', async () => {
    const { folder, place, file } = given();
    symlinkSync(join(folder, 'unplugged'), file);
    await expect(openKey(place)).rejects.toThrow(`The signing key ${file} cannot be made: EEXIST`);
    expect(readdirSync(folder)).toEqual(['store.db-signing-key']);
  });
});

function damaged(): string {
  const text = NoteSigner.generate('log').privateKey();
  const [, , , id = ''] = text.split('+');
  return text.replace(`+${id}+`, `+${id.startsWith('0') ? '1' : '0'}${id.slice(1)}+`);
}
