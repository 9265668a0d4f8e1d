import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/infra/postgres/migrations.ts';
import { openPostgresForCommandLine, openPostgresStore } from '../../src/infra/postgres/store.ts';
import { newEvent, placed } from '../support/events.ts';
import { temporaryFolder } from '../support/folder.ts';
import { partByDay } from '../support/nightly.ts';
import { Cluster, placeInMemory } from '../support/postgres/cluster.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { TransactionPooler } from '../support/postgres/pooler.ts';
import { sql, tamper } from '../support/postgres/sql.ts';
import { start } from '../support/service.ts';
import { watcher } from '../support/watcher.ts';
import { tableOf } from './markdown.ts';

const TOLD = tableOf('docs/postgresql.md', 'what it says | what to do').map(([says = '']) => says);
/** Each takes a start or two, so by day every other one is tried. */
const TRIED = partByDay(TOLD, 2);

const empty = () => newDatabase(18, 'template1');

/** For each refusal, keyed by words of its message: makes an address that causes it in a folder. */
const CAUSES: Readonly<Record<string, (folder: string) => Promise<string>>> = {
  ECONNREFUSED: async () => 'postgres://shop:secret@127.0.0.1:1/orders',
  'permission denied': async () => {
    const url = await empty();
    const user = `nobody_${new URL(url).pathname.slice(1)}`;
    await sql(url, `CREATE ROLE ${user} LOGIN`);
    return url.replace('postgres@', `${user}:secret@`);
  },
  full_page_writes: async () => {
    const cluster = await Cluster.start(18, { full_page_writes: 'off' }, placeInMemory());
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    return cluster.url('postgres');
  },
  'lacks rights': async () => {
    const cluster = await Cluster.start(18, {}, placeInMemory());
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    const url = cluster.url('postgres');
    await migrate(url, true);
    await cluster.sql(`REVOKE INSERT ON store_orders.events FROM store_orders_app;
      CREATE ROLE shop LOGIN IN ROLE store_orders_app`);
    return cluster.url('postgres', 'shop');
  },
  'is disabled': async () => {
    const url = await newDatabase();
    await sql(url, 'ALTER TABLE store_orders.events DISABLE TRIGGER events_never_change');
    return url;
  },
  'row security': async () => {
    const url = await newDatabase();
    await sql(url, 'ALTER TABLE store_orders.events ENABLE ROW LEVEL SECURITY');
    return url;
  },
  'schema of the store was altered': async () => {
    const url = await newDatabase();
    await sql(url, 'DROP TABLE store_orders.kept_outcomes CASCADE');
    return url;
  },
  'leads to a pooler': async () => {
    const url = new URL(await newDatabase());
    const pooler = await TransactionPooler.start(Number(url.port), url.pathname.slice(1));
    onTestFinished(() => pooler[Symbol.asyncDispose]());
    url.port = String(pooler.port);
    return url.href;
  },
  'refuses durability': async () => {
    const cluster = await Cluster.start(18, { fsync: 'off' }, placeInMemory());
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    return cluster.url('postgres');
  },
  'no commit is confirmed': async () => {
    const settings = { synchronous_standby_names: 'nobody' };
    const cluster = await Cluster.start(18, settings, placeInMemory());
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    return cluster.url('postgres');
  },
  'has schema': async () => {
    const url = await newDatabase();
    await sql(url, 'UPDATE store_orders.store SET schema_version = 99');
    return url;
  },
  'of another program': async () => {
    const url = await empty();
    await sql(url, 'CREATE SCHEMA store_orders; CREATE TABLE store_orders.pets (name text)');
    return url;
  },
  'is damaged': async () => {
    const url = await newDatabase();
    await sql(
      url,
      `INSERT INTO store_orders.events VALUES (1, 1, 1, 'OrderCancelled', 1, '{"orderId":"1"}', '')`,
    );
    return url;
  },
  'has the id': async (folder) => {
    const url = await newDatabase();
    await sql(url, `UPDATE store_orders.store SET id = 'aaaaaaaaaaaaaaaa'`);
    const at = (id: string) => join(folder, `data/postgres-${id}-head`);
    const tool = await openPostgresForCommandLine(url);
    await tool.log.append(0, () => [newEvent(placed(1n))]);
    await tool.close();
    await (await openPostgresStore(url, watcher(), undefined, at)).close();
    await tamper(url, `UPDATE store SET id = 'bbbbbbbbbbbbbbbb'`);
    return url;
  },
  'being copied': async () => {
    const url = await newDatabase();
    await sql(url, 'UPDATE store_orders.store SET is_whole = false');
    return url;
  },
};

test.each(TRIED)('A start is refused with the documented message: %s', async (told) => {
  const [, cause] = Object.entries(CAUSES).find(([words]) => told.includes(words)) ?? [];
  const folder = temporaryFolder();
  const url = (await cause?.(folder)) ?? '';
  const program = start(['serve', '--wait', '1'], folder, {
    PORT: '0',
    DATABASE_URL: url,
  });
  expect(await program.ended()).toBe(1);
  const { host, pathname } = new URL(url);
  const said = program.stderr
    .replaceAll('`', '')
    .replaceAll(host, 'HOST')
    .replace(`HOST${pathname}`, 'HOST/DATABASE')
    .replace(`database ${pathname.slice(1)}`, 'database DATABASE');
  expect(said).toBe(`store-orders: ${told}\n`);
});

test('Every cause leads to a documented refusal', () => {
  for (const words of Object.keys(CAUSES)) {
    expect(TOLD.filter((told) => told.includes(words))).toHaveLength(1);
  }
});
