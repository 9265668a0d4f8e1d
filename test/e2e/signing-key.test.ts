import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NoteSigner } from '../../src/app/audit/checkpoint.ts';
import { ask } from '../support/http.ts';
import { addressOf, newFolder, Service, start } from '../support/service.ts';

it('The key is made at the first start, and stays whatever happens', async () => {
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

it('The key may be kept elsewhere and shared, and a demo never signs with it', async () => {
  const SIGNING_KEY_FILE = join(newFolder(), 'shared-key');
  await using one = await Service.start({ SIGNING_KEY_FILE });
  await using other = await Service.start({ SIGNING_KEY_FILE });
  const keys = await Promise.all(
    [one, other].map(async ({ address }) => (await ask(address, 'GET', '/public-key')).text),
  );
  expect(new Set(keys).size).toBe(1);
  await using demo = start(['demo'], newFolder(), { PORT: '0', SIGNING_KEY_FILE });
  expect((await ask(await addressOf(demo), 'GET', '/public-key')).text).not.toBe(keys[0]);
});
