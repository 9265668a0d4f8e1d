import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { ask } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { type Environment, newFolder, Service, start } from '../support/service.ts';

// One service for the tests of a key beside the store.
const service = await Service.start();
afterAll(() => service[Symbol.asyncDispose]());
const ownFile = `${service.databaseFile}-signing-key`;
const publicKeyOf = async ({ address }: Service) => (await ask(address, 'GET', '/public-key')).text;

it('The first start creates the signing key, and later starts keep it', async () => {
  const key = readFileSync(ownFile, 'utf8');
  expect(statSync(ownFile).mode & 0o777).toBe(0o600);
  const text = await publicKeyOf(service);
  expect(text).toBe(`${NoteSigner.parse(key.trimEnd()).verifierKey}\n`);
  expect(service.program.stdout + service.program.stderr).not.toContain('PRIVATE');
  await service.restart('SIGKILL');
  expect(readFileSync(ownFile, 'utf8')).toBe(key);
  expect(await publicKeyOf(service)).toBe(text);
});

it('SIGNING_KEY_FILE names another, shareable file', async () => {
  await using other = await Service.start({ SIGNING_KEY_FILE: ownFile });
  expect(await publicKeyOf(other)).toBe(await publicKeyOf(service));
  expect(existsSync(`${other.databaseFile}-signing-key`)).toBe(false);
});

const MISSING = / is missing, and this store has signed with the key in it\. Restore/;

const PLACES: readonly (readonly [string, () => Environment | Promise<Environment>])[] = [
  ['beside the store', () => ({})],
  ['in SIGNING_KEY_FILE', () => ({ SIGNING_KEY_FILE: join(newFolder(), 'key') })],
  [
    'for PostgreSQL',
    async () => ({
      SIGNING_KEY_FILE: join(newFolder(), 'key'),
      DATABASE_URL: await newDatabase(18, 'template1'),
    }),
  ],
];

// By day the file is that of the store in PostgreSQL which another test loses.
it.each(PLACES.filter(([place]) => isNightly || place === 'beside the store'))(
  'A start without the key is refused until it is back, or renewed on purpose: %s',
  async (_, env) => {
    const given: Environment = await env();
    const { SIGNING_KEY_FILE } = given;
    const isOwn = SIGNING_KEY_FILE === undefined;
    const one = isOwn ? service : await Service.start(given);
    onTestFinished(() => one[Symbol.asyncDispose]());
    const file = SIGNING_KEY_FILE ?? ownFile;
    const publicKey = () => publicKeyOf(one);
    const refused = async () => {
      await using again = start(['serve'], one.folder, { PORT: '0', ...given });
      expect(await again.ended(), again.stderr).toBe(1);
      return again.stderr;
    };
    const before = await publicKey();
    await one.program.end();
    renameSync(file, `${file}-away`);
    expect(await refused()).toMatch(MISSING);
    renameSync(`${file}-away`, file);
    await one.start(given);
    expect(await publicKey()).toBe(before);
    await one.program.end('SIGKILL');
    rmSync(file);
    if (isNightly) expect(await refused()).toMatch(MISSING);
    await using checkpoint = start(['audit', 'checkpoint'], one.folder, given);
    expect([await checkpoint.ended(), checkpoint.stdout]).toEqual([1, '']);
    expect(checkpoint.stderr).toMatch(MISSING);
    await using renewed = start(['audit', 'new-key'], one.folder, given);
    expect(await renewed.ended(), renewed.stderr).toBe(0);
    expect(renewed.stdout).not.toBe(before);
    expect(renewed.stderr).toContain(`${basename(file)}: it signs from now on.`);
    expect(renewed.stderr).toContain(`Until now it was ${before}`);
    await one.start(given);
    expect(await publicKey()).toBe(renewed.stdout);
  },
);

it('An instance on PostgreSQL with another signing key than the store does not start', async () => {
  const DATABASE_URL = await newDatabase(18, 'template1');
  const [file, other] = ['one', 'other'].map((name) => join(newFolder(), name));
  if (file === undefined || other === undefined) expect.fail();
  const env = { DATABASE_URL, PORT: '0' };
  await using one = await Service.start({ ...env, SIGNING_KEY_FILE: file });
  if (isNightly) {
    // By day two instances share a key in a test of witnesses.
    await using two = await Service.start({ ...env, SIGNING_KEY_FILE: file });
    expect(await publicKeyOf(two)).toBe(await publicKeyOf(one));
  }
  await using lost = start(['serve'], newFolder(), { ...env, SIGNING_KEY_FILE: other });
  expect([await lost.ended(), lost.stderr]).toEqual([1, expect.stringMatching(MISSING)]);
  writeFileSync(other, `${NoteSigner.generate('store-orders/0011223344556677').privateKey()}\n`);
  await using strange = start(['serve'], newFolder(), { ...env, SIGNING_KEY_FILE: other });
  expect(await strange.ended()).toBe(1);
  expect(strange.stderr).toContain(`${other} has another key than the one that signs for this`);
  // An instance without SIGNING_KEY_FILE starts, and signs nothing.
  await using silent = await Service.start(env);
  expect((await ask(silent.address, 'GET', '/public-key')).status).toBe(404);
});
