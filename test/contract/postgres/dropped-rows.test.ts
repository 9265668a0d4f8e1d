import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/store.ts';
import { readStored } from '../../../src/infra/postgres/stored-events.ts';
import { newEvent, placed, readAll, TRACEPARENT } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { KEPT } from '../../support/postgres/distant-log.ts';
import { sql } from '../../support/postgres/sql.ts';

/** A batch that adds rows to every table: it fills a tile, and its events come with traces. */
const ALL = Array.from({ length: 256 }, (_, n) => {
  return { ...newEvent(placed(BigInt(n + 1))), traceparent: TRACEPARENT };
});

/** SQL that has rows dropped without an error, on their way into a table. */
function dropping(table: string): string {
  const how = table === 'tree' ? 'UPDATE' : 'INSERT';
  return `
    CREATE OR REPLACE FUNCTION public.dropped() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER drops BEFORE ${how} ON store_orders.${table}
      FOR EACH ROW EXECUTE FUNCTION public.dropped()`;
}

async function given() {
  const url = await newDatabase();
  const db = new Database(url);
  const log = new PostgresEventLog(db);
  onTestFinished(() => log.close());
  const counted = async () => {
    const [row] = await sql(
      url,
      `SELECT (SELECT count(*) FROM store_orders.events) AS events,
              (SELECT count(*) FROM store_orders.kept_outcomes) AS kept,
              (SELECT count(*) FROM store_orders.tree_nodes) AS nodes,
              (SELECT count(*) FROM store_orders.event_traces) AS traces,
              (SELECT length(edge) FROM store_orders.tree) AS edge`,
    );
    return row;
  };
  return { url, db, log, counted };
}

const TABLES = ['events', 'tree', 'tree_nodes', 'event_traces', 'kept_outcomes'];

it.each(TABLES)('A batch whose rows of %s are dropped is not recorded', async (table) => {
  const { url, log, counted } = await given();
  const before = await counted();
  await sql(url, dropping(table));
  const append = () =>
    log.append(
      0,
      (_newer, kept) => {
        kept.keep(KEPT);
        return ALL;
      },
      [KEPT],
    );
  expect(await append()).toMatchObject({
    kind: 'unavailable',
    cause: { message: expect.stringContaining('the database drops rows of a batch') },
  });
  expect(await counted()).toStrictEqual(before);
  await sql(url, `DROP TRIGGER drops ON store_orders.${table}`);
  expect(await append()).toMatchObject({ kind: 'appended' });
  expect(await readAll(log)).toHaveLength(256);
});

it.each(TABLES.slice(0, 4))('Nor is one that was sent alone, without %s', async (table) => {
  const { url, log, counted } = await given();
  const before = await counted();
  await sql(url, dropping(table));
  expect(await log.append(0, () => ALL)).toMatchObject({ kind: 'unavailable' });
  expect(await counted()).toStrictEqual(before);
});

it('Nor is an event among many', async () => {
  const { url, log, counted } = await given();
  const before = await counted();
  await sql(
    url,
    `${dropping('events')}; CREATE OR REPLACE FUNCTION public.dropped() RETURNS trigger
       LANGUAGE plpgsql AS 'BEGIN IF NEW.position <> 2 THEN RETURN NEW; END IF; RETURN NULL; END'`,
  );
  const three = [1n, 2n, 3n].map((id) => newEvent(placed(id)));
  expect(await log.append(0, () => three)).toMatchObject({ kind: 'unavailable' });
  expect(await counted()).toStrictEqual(before);
});

it.each(TABLES.slice(0, 3))('Nor are those of another store, without %s', async (table) => {
  const { url, counted } = await given();
  const source = await given();
  expect(await source.log.append(0, () => ALL)).toMatchObject({ kind: 'appended' });
  const stored = await readStored(source.db, 0, 300);
  const store = await openPostgresForCommandLine(url);
  const before = await counted();
  await sql(url, dropping(table));
  const taken = store.takeOver(async (add) => {
    await add(stored);
    return { size: 256, root: Buffer.alloc(32) };
  });
  await expect(taken).rejects.toThrow('the database drops rows of a batch');
  await store.close();
  expect(await counted()).toStrictEqual(before);
});
