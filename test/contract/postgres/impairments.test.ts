/** What becomes wrong in a database that is served is named, and passes by itself. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Impairment } from '../../../src/app/ports/impairment.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { Cluster, giveAway, placeInMemory } from '../../support/postgres/cluster.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql, tamper } from '../../support/postgres/sql.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';
import { watcher } from '../../support/watcher.ts';

/** Longer than a few looks at the head. */
const WITHIN = { timeout: 30_000, interval: 20 };

const command = { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 } as const;
let keys = 0;
const place = () => ({ command, by: 'x', commandId: 'c', idempotencyKey: `key ${++keys}` });

/** Opens a store as a user who is not a superuser, with one event, and returns what is impaired. */
async function served(url: string) {
  const user = `user_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app`);
  const impaired = new Map<Impairment, string>();
  const ever = new Set<Impairment>();
  const store = await openPostgresStore(
    url.replace('postgres@', `${user}@`),
    watcher({
      impaired(reason, { message }) {
        impaired.set(reason, message);
        ever.add(reason);
      },
      mended: (reason) => void impaired.delete(reason),
    }),
  );
  onTestFinished(async () => {
    await store.close();
    await sql(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
  });
  const list = new OrderList(() => null);
  for await (const events of store.log.read(0)) for (const event of events) list.fold(event);
  await store.begin(Writer.startOf(list));
  const run = async () => (await store.writer.execute([place()]))[0]?.kind;
  expect(await run()).toBe('accepted');
  return { store, impaired, ever, run, user };
}

it.each([
  ['events', 'events ENABLE ROW LEVEL SECURITY', 'events DISABLE ROW LEVEL SECURITY'],
  ['tree', 'tree ENABLE ROW LEVEL SECURITY', 'tree DISABLE ROW LEVEL SECURITY'],
])('rows of %s that are hidden are an altered schema, and no damage', async (...given) => {
  const [table, hide, show] = given;
  const url = await newDatabase();
  const { store, impaired, ever, run } = await served(url);
  await sql(url, `ALTER TABLE store_orders.${hide}`);
  await expect
    .poll(() => impaired.get('schema_altered'), WITHIN)
    .toBe(`the table ${table} of the database is another one (row security)`);
  // As a request reports what it finds.
  await store.log.head().catch((error: Error) => store.damaged?.(error));
  await sql(url, `ALTER TABLE store_orders.${show}`);
  await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
  expect([...ever]).toStrictEqual(['schema_altered']);
  expect(await run()).toBe('accepted');
});

it('rows that are gone are damage, also in a schema that was altered for a moment', async () => {
  const url = await newDatabase();
  const { impaired } = await served(url);
  await sql(url, 'ALTER TABLE store_orders.events ENABLE ROW LEVEL SECURITY');
  await expect.poll(() => impaired.has('schema_altered'), WITHIN).toBe(true);
  await tamper(url, 'DELETE FROM events');
  await sql(url, 'ALTER TABLE store_orders.events DISABLE ROW LEVEL SECURITY');
  await expect
    .poll(() => impaired.get('store_damaged'), WITHIN)
    .toMatch(/^the log has 0 events and its tree 1: /);
});

it.each([
  [
    'a publication',
    'CREATE PUBLICATION every FOR ALL TABLES',
    'DROP PUBLICATION every',
    /^the server refuses writes: cannot update table "(?:tree|store)" .*replica identity/,
  ],
  [
    'a rule',
    'CREATE RULE swallow AS ON INSERT TO store_orders.events DO INSTEAD NOTHING',
    'DROP RULE swallow ON store_orders.events',
    /^the server refuses writes: DO INSTEAD NOTHING rules are not supported/,
  ],
])('%s by which nothing can be recorded is found without a command', async (...given) => {
  const [, harm, mend, cause] = given;
  const url = await newDatabase();
  const { impaired, ever, run } = await served(url);
  await sql(url, harm);
  await expect.poll(() => impaired.get('writes_refused'), WITHIN).toMatch(cause);
  expect(await run()).toBe('unavailable');
  await sql(url, mend);
  await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
  expect([...ever]).toStrictEqual(['writes_refused']);
  expect(await run()).toBe('accepted');
});

it('a constraint by which rows are refused is named before the answer, until it is gone', async () => {
  const url = await newDatabase();
  const { impaired, run } = await served(url);
  await sql(url, 'ALTER TABLE store_orders.events ADD CONSTRAINT few CHECK (position < 2)');
  expect(await run()).toBe('unavailable');
  expect(impaired.get('writes_refused')).toMatch(/^the server refuses writes: .*"few"/);
  await sql(url, 'ALTER TABLE store_orders.events DROP CONSTRAINT few');
  await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
  expect(await run()).toBe('accepted');
});

it.each([
  ['the log', 'SELECT FROM store_orders.tree FOR UPDATE'],
  ['the events', 'LOCK TABLE store_orders.events IN SHARE MODE'],
  ['the outcomes', 'LOCK TABLE store_orders.kept_outcomes IN SHARE MODE'],
])('a lock of %s that another session keeps is named until it is over', async (_, lock) => {
  const url = await newDatabase();
  const { impaired, ever, run } = await served(url);
  const other = new pg.Client(url);
  onTestFinished(() => other.end());
  await other.connect();
  await other.query(`BEGIN; ${lock}`);
  expect(await run()).toBe('unavailable');
  await expect
    .poll(() => impaired.get('writes_refused'), WITHIN)
    .toBe('the server refuses writes: canceling statement due to lock timeout');
  await other.query('ROLLBACK');
  await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
  expect([...ever]).toStrictEqual(['writes_refused']);
  expect(await run()).toBe('accepted');
  expect(await sql(url, `SELECT count(*)::integer AS n FROM store_orders.kept_outcomes`)).toEqual([
    { n: 2 },
  ]);
});

it.skipIf(!canMount)('a full disk of the server is named until there is space', async () => {
  const disk = new SmallDisk(3_000);
  const space = join(disk.folder, 'data');
  mkdirSync(space);
  giveAway(disk.folder);
  const cluster = await Cluster.start(18, {}, placeInMemory());
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const url = cluster.url('postgres');
  await migrate(url, true);
  await cluster.sql(`CREATE TABLESPACE small LOCATION '${space}'`);
  await cluster.sql('ALTER TABLE store_orders.events SET TABLESPACE small');
  const { impaired, ever, run } = await served(url);
  disk.fill();
  // The pages that the table has already take some more.
  await expect.poll(run, { timeout: 60_000, interval: 0 }).toBe('unavailable');
  expect(impaired.get('storage_full')).toMatch(/^the server refuses writes: .*No space left/);
  expect(await run()).toBe('unavailable');
  disk.free();
  await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
  expect([...ever]).toStrictEqual(['storage_full']);
  expect(await run()).toBe('accepted');
});

it('a publication does no harm to tables with a replica identity', async () => {
  const url = await newDatabase();
  await sql(
    url,
    `ALTER TABLE store_orders.tree REPLICA IDENTITY FULL;
     ALTER TABLE store_orders.store REPLICA IDENTITY FULL;
     CREATE PUBLICATION every FOR ALL TABLES`,
  );
  await served(url);
});

it('a start is refused where nothing can be recorded', async () => {
  const url = await newDatabase();
  await sql(url, 'CREATE PUBLICATION every FOR ALL TABLES');
  await expect(openPostgresStore(url, watcher())).rejects.toThrow(
    /: the server refuses writes: cannot update table .* \(To enable updating the table, set REPLICA/,
  );
});

describe('on a server whose settings are changed', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(18, {}, placeInMemory());
    await migrate(cluster.url('postgres'), true);
    return () => cluster[Symbol.asyncDispose]();
  });

  it.each([
    ['fsync', 'off'],
    ['full_page_writes', 'off'],
    ['zero_damaged_pages', 'on'],
    ['ignore_checksum_failure', 'on'],
  ])('%s = %s by a reload is named until it is over, and is no outage', async (name, value) => {
    const { store, impaired, ever, run } = await served(cluster.url('postgres'));
    await cluster.sql(`ALTER SYSTEM SET ${name} = ${value}`);
    await cluster.sql('SELECT pg_reload_conf()');
    await expect
      .poll(() => impaired.get('settings_unsafe'), WITHIN)
      .toMatch(new RegExp(`^${name}=${value}: `));
    // Most of them need a new connection, which may be refused for it.
    await Promise.allSettled(Array.from({ length: 6 }, () => store.keys.list()));
    await cluster.sql(`ALTER SYSTEM RESET ${name}`);
    await cluster.sql('SELECT pg_reload_conf()');
    await expect.poll(() => [...impaired], WITHIN).toStrictEqual([]);
    expect([...ever]).toStrictEqual(['settings_unsafe']);
    expect(await run()).toBe('accepted');
  });
});
