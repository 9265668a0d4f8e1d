import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Beside } from '../support/beside.ts';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { sql } from '../support/postgres/sql.ts';
import { newFolder, type Program, Service, start } from '../support/service.ts';
import { honestStore } from '../support/tampering.ts';

const LIST = '/v1/store/orders';
/** Large events make a large store of few: time goes with their number. */
const BY = 'x'.repeat(1_000);

/** Runs a command until it ends. */
function run(folder: string, ...args: readonly string[]) {
  return runOn(`sqlite:${join(folder, 'store.db')}`, folder, ...args);
}

async function runOn(url: string, folder: string, ...args: readonly string[]) {
  const program = start(args, folder, { DATABASE_URL: url });
  const code = await program.ended();
  return { code, out: program.stdout, err: program.stderr };
}

/** Creates a folder with the export of a store of the given number of large events. */
async function withExport(events: number): Promise<string> {
  const folder = newFolder();
  await honestStore(join(folder, 'store.db'), 7n, events, BY);
  expect((await run(folder, 'audit', 'export', '--out', 'trail.ndjson')).code).toBe(0);
  return folder;
}

/**
 * Starts an import from a pipe whose last line never arrives, so that it can be killed during its
 * work, however fast the machine is.
 */
async function importForEver(file: string, url: string): Promise<Program> {
  const folder = newFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const program = start(['audit', 'import', pipe, '--unsigned'], folder, { DATABASE_URL: url });
  const input = await open(pipe, 'w');
  const text = readFileSync(file);
  await input.writeFile(text.subarray(0, text.lastIndexOf(0x0a, -2) + 1));
  // Closing this end would end the import's file, so it stays open until the import has been
  // killed.
  program.ended().finally(() => input.close());
  return program;
}

it('An import that is killed has imported nothing, and can be run again', async () => {
  // More than SQLite's cache for uncommitted pages (16 MB).
  const from = await withExport(20_000);
  const folder = newFolder();
  const file = join(from, 'trail.ndjson');
  const database = join(folder, 'store.db');
  const program = await importForEver(file, `sqlite:${database}`);
  // Until many events have been written, but not committed.
  while (!existsSync(`${database}-wal`) || statSync(`${database}-wal`).size < 1_000_000) {
    if (program.child.exitCode !== null) expect.fail(`it has ended: ${program.stderr}`);
    await setTimeout(1);
  }
  expect(await program.end('SIGKILL')).toBe('SIGKILL');
  const left = await run(folder, 'verify', '--json');
  expect(JSON.parse(left.out)).toMatchObject({ ok: true, events: 0 });
  const again = await run(folder, 'audit', 'import', file, '--unsigned');
  expect(again.out).toMatch(/^Imported 20000 events\./);
  const other = await run(folder, 'verify', '--json');
  await using beside = new Beside(join(from, 'store.db'));
  const { root } = await beside.treeHead();
  expect(JSON.parse(other.out).root).toBe(Buffer.from(root).toString('base64'));
});

it('An import into PostgreSQL that is killed has imported nothing, and can be run again', async () => {
  const from = await withExport(3_000);
  const file = join(from, 'trail.ndjson');
  const url = await newDatabase();
  const program = await importForEver(file, url);
  // Until many events have been written, but not committed.
  const size = `SELECT FROM pg_class WHERE oid = 'store_orders.events'::regclass
    AND pg_relation_size(oid) > 1000000`;
  while ((await sql(url, size)).length === 0) {
    if (program.child.exitCode !== null) expect.fail(`it has ended: ${program.stderr}`);
  }
  expect(await program.end('SIGKILL')).toBe('SIGKILL');
  const left = await runOn(url, from, 'verify', '--json');
  expect(JSON.parse(left.out)).toMatchObject({ ok: true, events: 0 });
  const again = await runOn(url, from, 'audit', 'import', file, '--unsigned');
  expect(again.out).toMatch(/^Imported 3000 events\./);
  const other = await runOn(url, from, 'verify', '--json');
  expect(other.code).toBe(0);
  await using beside = new Beside(join(from, 'store.db'));
  const { root } = await beside.treeHead();
  expect(JSON.parse(other.out).root).toBe(Buffer.from(root).toString('base64'));
});

it('A store in PostgreSQL is verified as correct while instances append to it', async () => {
  const url = await newDatabase();
  await using service = await Service.start({ DATABASE_URL: url });
  let isOver = false;
  const send = async () => {
    while (!isOver) {
      const { status } = await service.send('POST', LIST, { petId: 7, quantity: 1 });
      if (status !== 201) return status;
    }
    return 201;
  };
  const clients = Array.from({ length: isNightly ? 4 : 2 }, send);
  const seen: number[] = [];
  for (let turn = 0; turn < (isNightly ? 5 : 2); turn++) {
    const { code, out } = await runOn(url, service.folder, 'verify', '--json');
    expect(code, out).toBe(0);
    seen.push(JSON.parse(out).events);
  }
  isOver = true;
  expect(await Promise.all(clients)).toEqual(clients.map(() => 201));
  expect(seen[0]).toBeGreaterThan(0);
  expect(seen.at(-1)).toBeGreaterThan(seen[0] ?? 0);
  await sql(
    url,
    `SET session_replication_role = replica;
     DELETE FROM store_orders.events WHERE position = 3`,
  );
  const { code, out } = await runOn(url, service.folder, 'verify');
  expect(code).toBe(3);
  expect(out).toContain('position 3: it is missing\n');
});

it('A store is verified and exported while its server runs', async () => {
  await using service = await Service.start();
  const env = { DATABASE_URL: `sqlite:${service.databaseFile}` };
  for (let n = 0; n < 20; n++) {
    await service.send('POST', LIST, { petId: 7, quantity: 1 });
  }
  const verified = start(['verify', '--json'], service.folder, env);
  expect(await verified.ended()).toBe(0);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, events: 20 });
  const exported = start(['audit', 'export'], service.folder, env);
  expect(await exported.ended()).toBe(0);
  expect(exported.stdout.split('\n')).toHaveLength(23);
  const key = start(['audit', 'public-key'], service.folder, env);
  expect(await key.ended()).toBe(0);
  expect((await service.ask('GET', '/public-key')).text).toBe(key.stdout);
});
