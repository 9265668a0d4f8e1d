import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { newFolder, Service, start } from '../support/service.ts';
import { recordInAnyForm } from '../support/tampering.ts';

/** Starts a service whose start must be refused, and returns the line that it prints. */
async function refusal(folder: string): Promise<string> {
  await using program = start(['serve'], folder, { PORT: '0' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toMatch(/^store-orders: [^\n]+\n$/);
  expect(program.stdout).toBe('');
  return program.stderr;
}

function folderWith(make: (file: string) => void): { folder: string; file: string } {
  const folder = newFolder();
  const file = join(folder, 'data', 'store-orders.db');
  mkdirSync(join(folder, 'data'));
  make(file);
  return { folder, file };
}

it('A second server on the same file is refused, and the first keeps serving', async () => {
  await using service = await Service.start();
  expect(await refusal(service.folder)).toMatch(/Another server is running on .*store-orders\.db/);
  const body = { petId: 1, quantity: 1 };
  expect((await service.send('POST', '/v1/store/orders', body)).status).toBe(201);
  await service.restart('SIGKILL');
  expect((await service.ask('GET', '/v1/store/orders')).text).toContain('"id":1,');
});

it('A database with a newer schema is refused and not changed', async () => {
  await using service = await Service.start();
  await service.program.end();
  const db = new Database(service.databaseFile);
  db.pragma('user_version = 99');
  db.close();
  expect(await refusal(service.folder)).toMatch(/schema 99.*newer version/);
  const after = new Database(service.databaseFile);
  expect(after.pragma('user_version', { simple: true })).toBe(99);
  after.close();
});

it('A database of another program is refused and not changed', async () => {
  const { folder, file } = folderWith((file) => {
    const db = new Database(file);
    db.exec('CREATE TABLE notes (text TEXT)');
    db.close();
  });
  const before = readFileSync(file);
  expect(await refusal(folder)).toMatch('another program');
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('A file that is not a database is refused and not changed', async () => {
  const garbage = 'Dear diary, '.repeat(1_000);
  const { folder, file } = folderWith((file) => writeFileSync(file, garbage));
  expect(await refusal(folder)).toMatch('not a SQLite database');
  expect(readFileSync(file, 'utf8')).toBe(garbage);
});

it('A folder instead of the file is refused', async () => {
  const { folder } = folderWith((file) => mkdirSync(file));
  expect(await refusal(folder)).toMatch('cannot be opened: it is a folder');
});

it('A log with an event of an unknown type is refused', async () => {
  await using service = await Service.start();
  await service.send('POST', '/v1/store/orders', { petId: 1, quantity: 1 });
  await service.program.end();
  const db = new Database(service.databaseFile);
  const metadata = '{"at":"2026-01-01T00:00:00.000Z","by":"x","commandId":"x"}';
  const row = `(2, 1, 2, 'OrderTeleported', 1, '{"orderId":"1"}', '${metadata}')`;
  recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${row}`));
  db.close();
  await using program = start(['serve'], service.folder, { PORT: '0' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toMatch(/^store-orders: [^\n]*position 2 [^\n]*OrderTeleported[^\n]*\n$/);
});
