import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { isNightly } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { sql } from '../support/postgres/sql.ts';
import { newFolder, Service, start } from '../support/service.ts';

const LIST = '/v1/store/orders';

async function started(DATABASE_URL: string, key?: string): Promise<Service> {
  const keyed = key === undefined ? {} : { INITIAL_API_KEY: key };
  const service = await Service.start({ DATABASE_URL, ...keyed });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** Runs migrate-store, and returns its exit code and output. */
async function move(service: Service, from: string, to: string) {
  const program = start(['migrate-store', '--from', from, '--to', to], service.folder);
  return { code: await program.ended(), out: program.stdout, err: program.stderr };
}

it('A store moves to PostgreSQL and back unchanged for clients, and retries stay safe', async () => {
  const first = await Service.start();
  onTestFinished(() => first[Symbol.asyncDispose]());
  const sqlite = `sqlite:${first.databaseFile}`;
  const postgres = await newDatabase(18, 'template1');
  const retried = {
    headers: { 'Idempotency-Key': '"once"', Authorization: `Bearer ${first.key}` },
  };
  const body = { petId: 7, quantity: 1 };
  const placed = await first.send('POST', LIST, body, retried);
  for (let order = 2; order <= 20; order++) await first.send('POST', LIST, body);
  expect((await first.ask('DELETE', `${LIST}/3`)).status).toBe(204);
  const before = await first.ask('GET', LIST);

  expect(await move(first, sqlite, postgres)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Another server is running/),
  });
  await first.program.end();
  const there = await move(first, sqlite, postgres);
  expect(there).toMatchObject({ code: 0 });
  const root = /^Copied the store: 21 events\. Their root is ([\w+/]{43}=)\n$/.exec(there.out)?.[1];
  expect(root).toBeDefined();

  const second = await started(postgres);
  const asked = { headers: { Authorization: `Bearer ${first.key}` } };
  const after = await second.ask('GET', LIST, asked);
  expect([after.text, after.headers.etag]).toStrictEqual([before.text, before.headers.etag]);
  const again = await second.send('POST', LIST, body, retried);
  expect([again.status, again.text]).toStrictEqual([201, placed.text]);
  expect((await second.send('POST', LIST, body, asked)).status).toBe(201);

  const back = `sqlite:${join(first.folder, 'back.db')}`;
  expect(await move(first, postgres, back)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/Instances are running on the store/),
  });
  await second.program.end();
  expect(await move(first, postgres, back)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Copied the store: 22 events\. Their root is [\w+/]{43}=\n$/),
  });
  expect(await move(first, postgres, back)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is there already and was left as it is/),
  });
  // Copies do not contain the signing key.
  const keyless = start(['serve'], first.folder, { PORT: '0', DATABASE_URL: back });
  expect(await keyless.ended()).toBe(1);
  expect(keyless.stderr).toContain('back.db-signing-key is missing, and this store has signed');
  copyFileSync(`${first.databaseFile}-signing-key`, join(first.folder, 'back.db-signing-key'));
  const third = await started(back);
  expect((await third.send('POST', LIST, body, retried)).text).toBe(placed.text);
  const list = JSON.parse((await third.ask('GET', LIST, asked)).text) as unknown[];
  expect(list).toHaveLength(21);
});

it('A copy whose end was not reported is reported by the same command', async () => {
  const postgres = await newDatabase();
  const service = await started(postgres);
  await service.send('POST', LIST, { petId: 7, quantity: 1 });
  await service.program.end();
  const copied = { code: 0, out: expect.stringMatching(/^Copied the store: 1 events/) };
  let source = postgres;
  if (isNightly) {
    source = await newDatabase();
    const there = await move(service, postgres, source);
    expect(there).toMatchObject(copied);
    expect(await move(service, postgres, source)).toMatchObject({ code: 0, out: there.out });
  }

  const file = join(service.folder, 'back.db');
  const back = await move(service, source, `sqlite:${file}`);
  expect(back).toMatchObject(copied);
  // As a process leaves it that ends behind the last rename.
  const [store] = await sql<{ home: string }>(source, 'SELECT home FROM store_orders.store');
  writeFileSync(`${file}-copying-id`, String(store?.home.replace('elsewhere@', '')));
  expect(await move(service, source, `sqlite:${file}`)).toMatchObject({ code: 0, out: back.out });
  if (!isNightly) return;
  // By day the test above shows the same.
  expect(await move(service, postgres, `sqlite:${file}`)).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is there already and was left as it is/),
  });
});

it('An invalid address is reported without its password', async () => {
  const service = new Service();
  const moved = await move(service, 'sqlite:a.db', 'mysql://shop:secret@db/orders');
  expect(moved.code).toBe(2);
  expect((await move(service, 'mysql://shop:secret@db/orders', 'sqlite:a.db')).err).toMatch(
    /^store-orders: --from: An address of a store must be sqlite:FILE.*\nTry store-orders migrate-store --help\n$/,
  );
  expect(moved.err).not.toContain('secret');
});

it.each([
  ['sqlite:', 'sqlite:x.db', '--from: An address of a store must be sqlite:FILE, '],
  ['sqlite:x.db', 'mysql://127.0.0.1/orders', '--to: An address of a store must be sqlite:FILE, '],
  ['postgres://me@db/x', 'postgres://me@db/x', '--from and --to are the same address\n'],
])(
  'An address that cannot be is a usage error, and nothing is made: %s to %s',
  async (from, to, why) => {
    const folder = newFolder();
    const program = start(['migrate-store', '--from', from, '--to', to], folder);
    expect(await program.ended()).toBe(2);
    expect(program.stderr).toContain(why);
    expect(readdirSync(folder)).toEqual([]);
  },
);
