import { describe, expect, it } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { newEvent, placed, TRACEPARENT } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

const ROW = `1, 1, 'OrderPlaced', 2, '{}', '{}'`;

/** Statements that a trigger refuses, whatever the rights of the role. */
const FORBIDDEN = [
  `UPDATE store_orders.events SET data = '{}' WHERE position = 2`,
  'UPDATE store_orders.events SET position = position + 10',
  'DELETE FROM store_orders.events WHERE position = 300',
  'DELETE FROM store_orders.events',
  'TRUNCATE store_orders.events',
  `INSERT INTO store_orders.events VALUES (302, ${ROW})`,
  `INSERT INTO store_orders.events VALUES (301, ${ROW}), (303, ${ROW})`,
  `INSERT INTO store_orders.events VALUES (0, ${ROW})`,
  `INSERT INTO store_orders.events VALUES (300, ${ROW})`,
  `INSERT INTO store_orders.events VALUES (300, ${ROW})
     ON CONFLICT (position) DO UPDATE SET data = ''`,
  `UPDATE store_orders.tree SET edge = '\\x0000000000000001'`,
  'UPDATE store_orders.tree SET edge = edge',
  'DELETE FROM store_orders.tree',
  'TRUNCATE store_orders.tree',
  `INSERT INTO store_orders.tree VALUES ('\\x0000000000000000')`,
  `UPDATE store_orders.tree_nodes SET hash = '\\x00'`,
  'DELETE FROM store_orders.tree_nodes',
  'TRUNCATE store_orders.tree_nodes',
  `INSERT INTO store_orders.tree_nodes VALUES (8, 0, '\\x00')`,
  `UPDATE store_orders.kept_outcomes SET fingerprint = ''`,
  'DELETE FROM store_orders.kept_outcomes',
  'TRUNCATE store_orders.kept_outcomes',
  `INSERT INTO store_orders.kept_outcomes VALUES ('alice', 'a', 'g', NULL, NULL, 'x', '')`,
  `UPDATE store_orders.event_traces SET traceparent = ''`,
  'DELETE FROM store_orders.event_traces',
  'TRUNCATE store_orders.event_traces',
  `INSERT INTO store_orders.event_traces VALUES (1, '')`,
  `UPDATE store_orders.key_changes SET checksum = ''`,
  'DELETE FROM store_orders.key_changes',
  'TRUNCATE store_orders.key_changes',
  `INSERT INTO store_orders.key_changes VALUES ('AbCdEfGh01', 1, '', NULL)`,
  `UPDATE store_orders.signing_keys SET verifier_key = ''`,
  'DELETE FROM store_orders.signing_keys',
  'TRUNCATE store_orders.signing_keys',
  `INSERT INTO store_orders.signing_keys VALUES (1, 'log', '')`,
  `UPDATE store_orders.api_keys SET name = '"boss"'`,
  `UPDATE store_orders.api_keys SET scopes = 'audit:read'`,
  'UPDATE store_orders.api_keys SET number = DEFAULT',
  `UPDATE store_orders.api_keys SET name = '"boss"', revoked_at = 'now', checksum = '\\x01'`,
  `UPDATE store_orders.api_keys SET revoked_at = 'now'`,
  `UPDATE store_orders.api_keys SET checksum = '\\x01'`,
  `UPDATE store_orders.api_keys SET revoked_at = 'now', checksum = '\\x01', limits = '{}'`,
  'UPDATE store_orders.api_keys SET limits = NULL',
  `UPDATE store_orders.api_keys SET limits = '{}'`,
  `UPDATE store_orders.api_keys SET limits = '{}', limits_checksum = '\\x01'`,
  'DELETE FROM store_orders.api_keys',
  'TRUNCATE store_orders.api_keys',
  `INSERT INTO store_orders.api_keys (id, name, hash, scopes, created_at, checksum)
     VALUES ('AbCdEfGh01', '', '', '', '', '')
     ON CONFLICT (id) DO UPDATE SET name = excluded.name`,
  `UPDATE store_orders.store SET id = '0123456789abcdef'`,
  'UPDATE store_orders.store SET id = NULL',
  'DELETE FROM store_orders.store',
  'TRUNCATE store_orders.store',
  'INSERT INTO store_orders.store SELECT * FROM store_orders.store',
  `UPDATE store_orders.epochs SET statement = ''`,
  'DELETE FROM store_orders.epochs',
  'TRUNCATE store_orders.epochs',
  'DELETE FROM store_orders.refusals',
  'DELETE FROM store_orders.refusals WHERE position = 1',
  'TRUNCATE store_orders.refusals',
];

/** Statements that need only the rights of serving, and which the triggers alone refuse. */
const MAY_BE_OF_SERVING =
  /^INSERT|store_orders\.tree\b|^DELETE FROM store_orders\.refusals|api_keys SET (?:revoked_at|checksum|limits)/;

/** Statements that the owner of the tables may execute, and the serving role may not. */
const OWNERS_ALONE = [
  'ALTER TABLE store_orders.events DISABLE TRIGGER ALL',
  'DROP TRIGGER events_never_change ON store_orders.events',
  'DROP TABLE store_orders.events CASCADE',
  'DROP SCHEMA store_orders CASCADE',
  'CREATE OR REPLACE FUNCTION store_orders.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
  'UPDATE store_orders.store SET schema_version = 9',
  'SET session_replication_role = replica',
];

async function storeWithHistory(version: 15 | 18 = 18): Promise<string> {
  const url = await newDatabase(version);
  const log = new PostgresEventLog(new Database(url));
  const events = Array.from({ length: 300 }, (_, n) => newEvent(placed(BigInt(n + 1))));
  await log.append(0, (_newer, kept) => {
    const decided = { kind: 'rejected', reason: 'order_not_found' } as const;
    kept.keep({ by: 'alice', key: 'a', fingerprint: 'f', decided });
    return events.map((event) => ({ ...event, traceparent: TRACEPARENT }));
  });
  await log.close();
  await sql(
    url,
    `INSERT INTO store_orders.signing_keys VALUES (1, 'log', '');
     INSERT INTO store_orders.api_keys VALUES
       ('AbCdEfGh01', '"x"', '', '', '', NULL, NULL, DEFAULT, '');
     INSERT INTO store_orders.refusals VALUES (1, '{}'), (2, '{}')`,
  );
  return url;
}

/** The address for somebody who may serve, and nothing else. */
async function asApplication(url: string): Promise<string> {
  const user = `app_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app`);
  return url.replace('postgres@', `${user}@`);
}

describe.each([15, 18] as const)('PostgreSQL %i refuses to change history', (version) => {
  it('for every user, superusers included', async () => {
    const url = await storeWithHistory(version);
    const before = await contentsOf(url);
    for (const query of FORBIDDEN) await expect(sql(url, query), query).rejects.toThrow();
    expect(await contentsOf(url)).toStrictEqual(before);
    // So that the refusals mean something: the next event is taken.
    await sql(url, `INSERT INTO store_orders.events VALUES (301, ${ROW})`);
  });

  it('to the role that serves, by its rights alone', async () => {
    const url = await storeWithHistory(version);
    const app = await asApplication(url);
    const before = await contentsOf(url);
    for (const query of FORBIDDEN) await expect(sql(app, query), query).rejects.toThrow();
    await sql(
      url,
      `ALTER TABLE store_orders.events DISABLE TRIGGER USER;
       ALTER TABLE store_orders.tree_nodes DISABLE TRIGGER USER;
       ALTER TABLE store_orders.kept_outcomes DISABLE TRIGGER USER`,
    );
    const writes = FORBIDDEN.filter((query) => !MAY_BE_OF_SERVING.test(query));
    for (const query of [...writes, ...OWNERS_ALONE]) {
      await expect(sql(app, query), query).rejects.toThrow(/permission denied|must be owner/);
    }
    expect(await contentsOf(url)).toStrictEqual(before);
  });
});

it('the role that serves can do everything that serving takes', async () => {
  const app = await asApplication(await storeWithHistory());
  const log = new PostgresEventLog(new Database(app));
  expect(await log.append(300, () => [newEvent(placed(301n))])).toMatchObject({
    kind: 'appended',
    events: [{ position: 301 }],
  });
  await log.close();
});

async function contentsOf(url: string): Promise<unknown> {
  return sql(
    url,
    `SELECT (SELECT md5(string_agg(e::text, '' ORDER BY position)) FROM store_orders.events AS e),
            (SELECT edge FROM store_orders.tree),
            (SELECT count(*) FROM store_orders.tree_nodes),
            (SELECT string_agg(k::text, '') FROM store_orders.kept_outcomes AS k),
            (SELECT string_agg(k::text, '') FROM store_orders.api_keys AS k),
            (SELECT string_agg(s::text, '') FROM store_orders.store AS s),
            (SELECT string_agg(r::text, '') FROM store_orders.refusals AS r)`,
  );
}
