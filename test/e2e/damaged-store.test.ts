import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { expectError } from '../support/http.ts';
import { isNightly, partByDay } from '../support/nightly.ts';
import { Service, start } from '../support/service.ts';
import { honestStore, recordInAnyForm } from '../support/tampering.ts';

const LIST = '/v1/store/orders';

/** Flips one bit in the stored pet id 1016. */
function flipPetId(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf('"petId":"1016"');
  expect(at).toBeGreaterThan(0);
  // A 1 becomes a 3.
  bytes.writeUInt8(bytes.readUInt8(at + 11) ^ 2, at + 11);
  writeFileSync(file, bytes);
}

/** A service that is not started yet, with a store of seven events. */
async function withStoreOf7(): Promise<Service> {
  const service = new Service();
  mkdirSync(dirname(service.databaseFile));
  await honestStore(service.databaseFile, 1_016n, 7);
  return service;
}

it('A flipped bit prevents the start, with a message that names the events', async () => {
  const { databaseFile, folder } = await withStoreOf7();
  flipPetId(databaseFile);
  await using program = start(['serve'], folder, { PORT: '0' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toMatch(/^store-orders: events \d to \d are not what was recorded/);
  expect(program.log).toContainEqual(
    expect.objectContaining({ level: 60, reason: 'store_damaged' }),
  );
});

it('A bit that is flipped while the service runs makes it unready and refuse requests', async () => {
  await using service = await withStoreOf7();
  await service.start();
  flipPetId(service.databaseFile);
  const line = await service.program.until(({ log }) => log.find(({ level }) => level === 60));
  expect(line).toMatchObject({ reason: 'store_damaged', cause: /not what was recorded/ });
  const ready = await service.ask('GET', '/readyz');
  expectError(ready, 503, 'service_unavailable');
  expect(String(ready.body)).toContain('store_damaged');
  expectError(await service.ask('GET', LIST), 503, 'service_unavailable');
  const order = { petId: 1, quantity: 1 };
  expectError(await service.send('POST', LIST, order), 503, 'service_unavailable');
  await setTimeout(200);
  expect(service.program.log.filter(({ level }) => level === 60)).toHaveLength(1);
});

/** Records that order 1 was shipped, after it was cancelled, in a tree that is right. */
function shipCancelled(file: string): void {
  const db = new Database(file);
  const data = '{"orderId":"1","shipDate":"2026-03-04T09:00:00.000Z"}';
  const metadata = '{"at":"2126-01-01T00:00:00.000Z","by":"x","commandId":"x"}';
  const row = `(3, 1, 3, 'OrderShipped', 1, '${data}', '${metadata}')`;
  recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${row}`));
  db.close();
}

const THIRD_EVENT =
  'event at position 3 cannot have been recorded: OrderShipped of order 1, which is cancelled';

async function storeOfCancelled(): Promise<Service> {
  const service = await Service.start();
  await service.send('POST', LIST, { petId: 1, quantity: 1 });
  expect((await service.ask('DELETE', `${LIST}/1`)).status).toBeLessThan(300);
  return service;
}

it('A third event of an order prevents the start, with a message that names it', async () => {
  await using service = await storeOfCancelled();
  await service.program.end();
  shipCancelled(service.databaseFile);
  await using program = start(['serve'], service.folder, { PORT: '0' });
  expect(await program.ended()).toBe(1);
  expect(program.stderr).toBe(`store-orders: ${THIRD_EVENT}\n`);
});

it('A third event that comes while the service runs makes it unready and refuse requests', async () => {
  await using service = await storeOfCancelled();
  shipCancelled(service.databaseFile);
  const order = { petId: 1, quantity: 1 };
  expectError(await service.send('POST', LIST, order), 503, 'service_unavailable');
  // Before that, a list without the event would be right as well.
  expectError(await service.ask('GET', LIST), 503, 'service_unavailable');
  const line = await service.program.until(({ log }) => log.find(({ level }) => level === 60));
  expect(line.reason).toBe('store_damaged');
  // The fold and the check against the tree look at the same time: either may be first.
  expect([
    THIRD_EVENT,
    expect.stringMatching(/^the log has 3 events and its tree 2: /),
  ]).toContainEqual(line.cause);
  expectError(await service.ask('GET', '/readyz'), 503, 'service_unavailable');
});

/** Ways to damage a `-wal` file in place, as a disk or a person does. */
const WAL_DAMAGE: readonly (readonly [name: string, damaged: (wal: Buffer) => Buffer])[] = [
  ['zeros', (wal) => Buffer.alloc(wal.length)],
  ['a changed page of its first frame', (wal) => withByte(wal, 32 + 24 + 100)],
  ['a changed page of its last frame', (wal) => withByte(wal, wal.length - 100)],
  ['nothing', () => Buffer.alloc(0)],
];

function withByte(bytes: Buffer, at: number): Buffer {
  bytes.writeUInt8(bytes.readUInt8(at) ^ 2, at);
  return bytes;
}

// By day one of them: contract tests of the -wal file damage each part of it.
it.each(WAL_DAMAGE.filter(([name]) => isNightly || name === 'a changed page of its last frame'))(
  'A stop copies nothing from a damaged -wal file into the store: %s',
  async (_, damaged) => {
    await using service = new Service();
    mkdirSync(dirname(service.databaseFile));
    await honestStore(service.databaseFile);
    await service.start();
    const before = readFileSync(service.databaseFile);
    for (const petId of [1015, 1016]) await service.send('POST', LIST, { petId, quantity: 1 });
    const wal = `${service.databaseFile}-wal`;
    const bytes = damaged(readFileSync(wal));
    writeFileSync(wal, bytes, { flag: 'r+' });
    truncateSync(wal, bytes.length);
    await service.program.end();
    expect(readFileSync(service.databaseFile).equals(before)).toBe(true);
    await using program = start(['serve'], service.folder, { PORT: '0' });
    expect(await program.ended()).toBe(1);
    expect(program.stderr).toMatch(/-wal is damaged|The log in .* ends at position 70\d/);
  },
);

/** Ways to take the files of a store away, of which at least that at the given path has its events. */
const TAKEN_AWAY: readonly (readonly [name: string, away: (file: string) => string])[] = [
  [
    'the -wal file is removed',
    (file) => {
      rmSync(`${file}-wal`);
      return file;
    },
  ],
  [
    'another -wal file is in its place',
    (file) => {
      writeFileSync(`${file}-new`, 'x');
      renameSync(`${file}-new`, `${file}-wal`);
      return file;
    },
  ],
  [
    'all files are moved',
    (file) => {
      for (const end of ['', '-wal', '-shm']) renameSync(file + end, `${file}-moved${end}`);
      return `${file}-moved`;
    },
  ],
];

// By day one of them: contract tests of files in place take the others away.
it.each(partByDay(TAKEN_AWAY, 3))(
  'A stop saves the events in a sound -wal file: %s',
  async (_, away) => {
    await using service = await Service.start();
    for (const petId of [1015, 1016]) await service.send('POST', LIST, { petId, quantity: 1 });
    const file = away(service.databaseFile);
    expect(await service.program.end()).toBe(0);
    const db = new Database(file);
    expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(2);
    db.close();
  },
);
