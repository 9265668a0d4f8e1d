import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newFolder, Service, start } from '../support/service.ts';
import { honestStore } from '../support/tampering.ts';

/** Runs a command to its end. */
async function run(folder: string, ...args: readonly string[]) {
  const program = start(args, folder, { DATABASE_URL: `sqlite:${join(folder, 'store.db')}` });
  const code = await program.ended();
  return { code, out: program.stdout, err: program.stderr };
}

/** A folder with the export of a large store. */
async function withExport(): Promise<string> {
  const folder = newFolder();
  await honestStore(join(folder, 'store.db'), 7n, 20_000);
  expect((await run(folder, 'audit', 'export', '--out', 'trail.ndjson')).code).toBe(0);
  return folder;
}

it('An import that is killed has imported nothing, and can be run again', async () => {
  const from = await withExport();
  const folder = newFolder();
  const file = join(from, 'trail.ndjson');
  const database = join(folder, 'store.db');
  const program = start(['audit', 'import', file], folder, { DATABASE_URL: `sqlite:${database}` });
  // Until a good part of the events has been written, and not yet committed.
  while (!existsSync(`${database}-wal`) || statSync(`${database}-wal`).size < 1_000_000) {
    if (program.child.exitCode !== null) expect.fail(`it was too fast: ${program.stderr}`);
    await setTimeout(1);
  }
  expect(await program.end('SIGKILL')).toBe('SIGKILL');
  const left = await run(folder, 'verify', '--json');
  expect(JSON.parse(left.out)).toMatchObject({ ok: true, events: 0 });
  const again = await run(folder, 'audit', 'import', file);
  expect(again.out).toMatch(/^Imported 20000 events\./);
  const [one, other] = [await run(from, 'verify', '--json'), await run(folder, 'verify', '--json')];
  expect(JSON.parse(other.out).root).toBe(JSON.parse(one.out).root);
});

it('A store is verified and exported while its server runs, and nothing is in its way', async () => {
  await using service = await Service.start();
  const env = { DATABASE_URL: `sqlite:${service.databaseFile}` };
  for (let n = 0; n < 20; n++) {
    await service.send('POST', '/v1/store/orders', { petId: 7, quantity: 1 });
  }
  const verified = start(['verify', '--json'], service.folder, env);
  expect(await verified.ended()).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, events: 20 });
  const exported = start(['audit', 'export'], service.folder, env);
  expect(await exported.ended()).toBe(0);
  expect(exported.stdout.split('\n')).toHaveLength(22);
  const key = start(['audit', 'public-key'], service.folder, env);
  expect(await key.ended()).toBe(0);
  expect((await service.ask('GET', '/public-key')).text).toBe(key.stdout);
});
