import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/infra/sqlite/schema.ts';
import { cannotFail, FailingReads } from '../support/failing-reads.ts';
import { expectError } from '../support/http.ts';
import { isNightly } from '../support/nightly.ts';
import { type Program, Service, start } from '../support/service.ts';

const LIST = '/v1/store/orders';
const ORDER = { petId: 1, quantity: 1 };

interface Failing extends AsyncDisposable {
  readonly service: Service;
  readonly reads: FailingReads;
}

/** A service with orders, keys and a small cache, whose reads of its database can fail. */
async function failing(): Promise<Failing> {
  const service = await Service.start();
  const reads = new FailingReads(service.folder, service.databaseFile);
  for (let sent = 0; sent < 30; sent += 1) await service.send('POST', LIST, ORDER);
  await service.program.end();
  // The check that is made again and again would read meanwhile, too.
  await service.start({ ...reads.env, SCRUB_BYTES_PER_SECOND: '0' });
  return { service, reads, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Sends requests that read the database until all failures have happened. */
async function meetAll({ service, reads }: Failing): Promise<void> {
  while (reads.left > 0) {
    writeBeside(service.databaseFile);
    for (const path of [LIST, `${LIST}/1`, '/v1/store/events']) await service.ask('GET', path);
    await service.send('POST', LIST, ORDER);
  }
}

/** Writes as another process, so that no connection can use what it has cached of the file. */
function writeBeside(file: string): void {
  const db = new Database(file);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
  db.close();
}

async function isReady(service: Service): Promise<void> {
  while ((await service.ask('GET', '/readyz')).status !== 200) await setTimeout(50);
}

function damageIn({ log }: Program): readonly object[] {
  return log.filter(({ reason, level }) => reason === 'store_damaged' || level === 60);
}

describe.skipIf(cannotFail !== undefined)('A disk whose reads fail and then succeed', () => {
  let place: Failing;
  beforeAll(async () => {
    place = await failing();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each([
    [1, 0],
    [1, 1],
    [1, 2],
    [1, 4],
    [25, 2],
  ])('leaves a store served: %i failures after %i reads', async (count, afterReads) => {
    const { service, reads } = place;
    reads.fail(count, afterReads);
    await meetAll(place);
    await isReady(service);
    expect((await service.send('POST', LIST, ORDER)).status).toBe(201);
    expect((await service.ask('GET', '/v1/store/events')).status).toBe(200);
    expect(damageIn(service.program)).toEqual([]);
  });

  it('is told by commands as it is, and is no damage', async () => {
    const { service, reads } = place;
    await service.program.end();
    const words =
      'store-orders: ./data/store-orders.db cannot be read: a read from its disk has failed\n';
    for (const command of [['verify'], ['keys', 'list']]) {
      const said = new Set<string>();
      for (let afterReads = 4; afterReads < 40; afterReads += isNightly ? 5 : 15) {
        reads.fail(1, afterReads);
        await using program = start(command, service.folder, reads.env);
        const code = await program.ended();
        if (code !== 0) said.add(`${code} ${program.stderr.split('\n').slice(-2).join('\n')}`);
      }
      expect([...said]).toEqual([`1 ${words}`]);
    }
  });
});

/** Overwrites the first page of a table, as a disk that writes to the wrong place does. */
function overwritePageOf(file: string, table: string): void {
  const db = new Database(file, { readonly: true });
  const root = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table);
  const size = db.pragma('page_size', { simple: true }) as number;
  db.close();
  const bytes = readFileSync(file);
  bytes.fill(0x5a, (Number(root) - 1) * size, Number(root) * size);
  writeFileSync(file, bytes);
}

it('A page that a request finds overwritten makes the service unready', async () => {
  await using service = await Service.start();
  for (let sent = 0; sent < 3; sent += 1) await service.send('POST', LIST, ORDER);
  await service.program.end();
  await service.start({ SCRUB_BYTES_PER_SECOND: '0' });
  overwritePageOf(service.databaseFile, 'events');
  writeBeside(service.databaseFile);
  expectError(await service.ask('GET', '/v1/store/events'), 503, 'service_unavailable');
  const line = await service.program.until(({ log }) => log.find(({ level }) => level === 60));
  expect(line).toMatchObject({ reason: 'store_damaged', cause: /malformed/ });
  const ready = await service.ask('GET', '/readyz');
  expectError(ready, 503, 'service_unavailable');
  expect(String(ready.body)).toContain('store_damaged');
  await using verify = start(['verify'], service.folder);
  expect(await verify.ended()).toBe(3);
});
