import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { ask } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { addressOf, type Environment, newFolder, Service, start } from '../support/service.ts';

it('The first start creates the signing key, and later starts keep it', async () => {
  await using service = await Service.start();
  const file = `${service.databaseFile}-signing-key`;
  const key = readFileSync(file, 'utf8');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { text } = await ask(service.address, 'GET', '/public-key');
  expect(text).toBe(`${NoteSigner.parse(key.trimEnd()).verifierKey}\n`);
  expect(service.program.stdout + service.program.stderr).not.toContain('PRIVATE');
  await service.restart('SIGKILL');
  expect(readFileSync(file, 'utf8')).toBe(key);
  expect((await ask(service.address, 'GET', '/public-key')).text).toBe(text);
});

it('SIGNING_KEY_FILE names another, shareable file, which a demo never signs with', async () => {
  const SIGNING_KEY_FILE = join(newFolder(), 'shared-key');
  await using one = await Service.start({ SIGNING_KEY_FILE });
  await using other = await Service.start({ SIGNING_KEY_FILE });
  const keys = await Promise.all(
    [one, other].map(async ({ address }) => (await ask(address, 'GET', '/public-key')).text),
  );
  expect(new Set(keys).size).toBe(1);
  await using demo = start(['demo'], newFolder(), { PORT: '0', SIGNING_KEY_FILE });
  expect((await ask(await addressOf(demo), 'GET', '/public-key')).text).not.toBe(keys[0]);
  // It removes its folder then.
  expect(await demo.end('SIGTERM')).toBe(0);
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

// By day the file is that of the store in PostgreSQL.
it.each(PLACES.filter(([place]) => isNightly || place !== 'in SIGNING_KEY_FILE'))(
  'A start without the key is refused until it is back, or renewed on purpose: %s',
  async (_, env) => {
    const given: Environment = await env();
    const { SIGNING_KEY_FILE } = given;
    await using service = await Service.start(given);
    const file = SIGNING_KEY_FILE ?? `${service.databaseFile}-signing-key`;
    const publicKey = async () => (await ask(service.address, 'GET', '/public-key')).text;
    const refused = async () => {
      await using again = start(['serve'], service.folder, { PORT: '0', ...given });
      expect(await again.ended(), again.stderr).toBe(1);
      return again.stderr;
    };
    const before = await publicKey();
    await service.program.end();
    renameSync(file, `${file}-away`);
    expect(await refused()).toMatch(MISSING);
    renameSync(`${file}-away`, file);
    await service.start(given);
    expect(await publicKey()).toBe(before);
    await service.program.end('SIGKILL');
    rmSync(file);
    expect(await refused()).toMatch(MISSING);
    await using checkpoint = start(['audit', 'checkpoint'], service.folder, given);
    expect([await checkpoint.ended(), checkpoint.stdout]).toEqual([1, '']);
    expect(checkpoint.stderr).toMatch(MISSING);
    await using renewed = start(['audit', 'new-key'], service.folder, given);
    expect(await renewed.ended(), renewed.stderr).toBe(0);
    expect(renewed.stdout).not.toBe(before);
    expect(renewed.stderr).toContain(`${basename(file)}: it signs from now on.`);
    expect(renewed.stderr).toContain(`Until now it was ${before}`);
    await service.start(given);
    expect(await publicKey()).toBe(renewed.stdout);
  },
);

it('An instance on PostgreSQL with another signing key than the store does not start', async () => {
  const DATABASE_URL = await newDatabase(18, 'template1');
  const [file, other] = ['one', 'other'].map((name) => join(newFolder(), name));
  if (file === undefined || other === undefined) expect.fail();
  const env = { DATABASE_URL, PORT: '0' };
  await using one = await Service.start({ ...env, SIGNING_KEY_FILE: file });
  await using two = await Service.start({ ...env, SIGNING_KEY_FILE: file });
  const keys = await Promise.all(
    [one, two].map(async ({ address }) => (await ask(address, 'GET', '/public-key')).text),
  );
  expect(new Set(keys).size).toBe(1);
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
