import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { giveToStoreOwner } from '../../src/infra/process/store-owner.ts';
import { newFolder, Program, Service, start } from '../support/service.ts';

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.warn('SKIPPED: files made by root, because these tests are not run by root');

/** The user nobody, of no file. */
const SERVICE_USER = 65_534;

function ownersIn(folder: string): Record<string, number> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]),
  );
}

it.skipIf(!isRoot)(
  'Files that root makes beside a store belong to the owner of the store',
  async () => {
    await using service = await Service.start();
    await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
    await service.program.end();
    const data = join(service.folder, 'data');
    // The store alone, as after a restore without the files beside it.
    for (const name of readdirSync(data)) if (name !== 'store-orders.db') rmSync(join(data, name));
    chownSync(join(data, 'store-orders.db'), SERVICE_USER, SERVICE_USER);
    for (const args of [['accept-loss'], ['audit', 'new-key'], ['keys', 'create', '--name', 'x']]) {
      await using program = start(args, service.folder);
      expect(await program.ended(), program.stderr).toBe(0);
      expect(new Set(Object.values(ownersIn(data)))).toEqual(new Set([SERVICE_USER]));
    }
    await service.start();
    await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
    expect((await service.ask('DELETE', '/v1/store/orders/404')).status).toBe(404);
    await service.program.end();
    const owners = ownersIn(data);
    for (const end of ['', '-head', '-server', '-signing-key', '-refusals']) {
      expect(owners).toHaveProperty([`store-orders.db${end}`], SERVICE_USER);
    }
    expect(new Set(Object.values(owners))).toEqual(new Set([SERVICE_USER]));
  },
);

it.skipIf(!isRoot)('A folder whose name begins as that of a store gives its files no owner', () => {
  const folder = join(newFolder(), 'postgres');
  mkdirSync(folder);
  chownSync(folder, SERVICE_USER, SERVICE_USER);
  writeFileSync(`${folder}-head`, '');
  giveToStoreOwner(`${folder}-head`);
  expect(statSync(`${folder}-head`).uid).toBe(0);
});

it.skipIf(!isRoot)('A command runs as a root that may change no owner', async () => {
  await using service = await Service.start();
  await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
  await service.program.end();
  const data = join(service.folder, 'data');
  for (const end of ['-head', '-server']) rmSync(`${service.databaseFile}${end}`);
  for (const name of readdirSync(data)) chownSync(join(data, name), SERVICE_USER, SERVICE_USER);
  const command = [process.execPath, resolve('dist/main.js'), 'accept-loss'];
  const args = ['--bounding-set', '-chown', '--inh-caps', '-chown', ...command];
  await using program = new Program('setpriv', args, service.folder, {});
  expect(await program.ended(), program.stderr).toBe(0);
  expect(ownersIn(data)).toHaveProperty(['store-orders.db-head'], 0);
});

// A root for whom the modes of files count, as for any other user.
const CAPS = '-dac_override,-dac_read_search';
const AS_ANY_USER = ['--bounding-set', CAPS, '--inh-caps', CAPS, process.execPath];

it.skipIf(!isRoot)(
  'A start says which file of the store its user may not read, or not write',
  async () => {
    await using service = await Service.start();
    await service.program.end();
    const { databaseFile } = service;
    chownSync(databaseFile, SERVICE_USER, SERVICE_USER);
    for (const [mode, may] of [
      [0o600, 'read'],
      [0o644, 'write'],
    ] as const) {
      chmodSync(databaseFile, mode);
      const args = [...AS_ANY_USER, resolve('dist/main.js'), 'keys', 'create', '--name', 'x'];
      await using program = new Program('setpriv', args, service.folder, {});
      expect(await program.ended()).toBe(1);
      const said = `This user may not ${may} ./data/store-orders.db: see its owner.\n`;
      expect(program.stderr).toContain(said);
    }
  },
);

it.skipIf(!isRoot).each(['verify', 'audit refusals'])(
  '%s says that its user may not read the refusals beside a store',
  async (command) => {
    await using service = await Service.start();
    expect((await service.ask('DELETE', '/v1/store/orders/404')).status).toBe(404);
    await service.program.end();
    chownSync(`${service.databaseFile}-refusals`, SERVICE_USER, SERVICE_USER);
    const args = [...AS_ANY_USER, resolve('dist/main.js'), ...command.split(' ')];
    await using program = new Program('setpriv', args, service.folder, {});
    expect(await program.ended()).toBe(1);
    const file = './data/store-orders.db-refusals';
    expect(program.stderr).toContain(`This user may not read ${file}: see its owner.\n`);
  },
);
