import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import type { ApiKey } from '../../../src/app/ports/key-store.ts';
import { AlteredSchema } from '../../../src/app/ports/store.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { UNPACED } from '../../../src/infra/checking/keep-checking.ts';
import { keyRow } from '../../../src/infra/events/row-mapping.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { openPostgresEvidence } from '../../../src/infra/postgres/evidence.ts';
import { readKeptAfter } from '../../../src/infra/postgres/kept-outcomes-table.ts';
import { PostgresKeyStore } from '../../../src/infra/postgres/key-store.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import {
  MIGRATIONS,
  SCHEMA_VERSION,
  WITH_CHECKSUMS,
  WITH_EPOCHS,
  WITH_LIMITS,
  WITH_SECOND_PLACES,
} from '../../../src/infra/postgres/schema.ts';
import { flawsInSchema } from '../../../src/infra/postgres/schema-check.ts';
import {
  openPostgresForCommandLine,
  openPostgresStore,
} from '../../../src/infra/postgres/store.ts';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { PostgresTrail } from '../../../src/infra/postgres/trail.ts';
import { NOON, newEvent, placed, TRACEPARENT } from '../../support/events.ts';
import type { Version } from '../../support/postgres/cluster.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { watcher } from '../../support/watcher.ts';

const PLACE = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;

/** A database without anything in it. */
const empty = () => newDatabase(18, 'template1');

/** A database with a store as the version with this schema has made it. */
async function oldStore(schema: number, version?: Version): Promise<string> {
  const url = await newDatabase(version, 'template1');
  await sql(url, 'CREATE SCHEMA store_orders');
  for (const migration of MIGRATIONS.slice(0, schema)) await sql(url, migration);
  await sql(url, `UPDATE store_orders.store SET schema_version = ${schema}`);
  return url;
}

async function open(url: string): Promise<string> {
  const store = await openPostgresForCommandLine(url);
  await store.close();
  return store.id;
}

/** Returns what is wrong with a store, apart from its events and their tree. */
async function flawsOf(url: string): Promise<readonly string[]> {
  const evidence = await openPostgresEvidence(url);
  await evidence.close();
  return evidence.flaws;
}

/** Makes a user who may log in, and returns the address that is theirs. */
async function login(url: string, rights: string): Promise<string> {
  const user = `user_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN ${rights}`);
  return url.replace('postgres@', `${user}@`);
}

describe('a migration', () => {
  it('creates a store once, for concurrent starts', async () => {
    const url = await empty();
    const migrated = await Promise.all(
      Array.from({ length: 8 }, (_, n) => migrate(url, n % 2 === 0)),
    );
    expect(migrated.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(migrated.every(({ to }) => to === SCHEMA_VERSION)).toBe(true);
    expect(await sql(url, 'SELECT schema_version FROM store_orders.store')).toHaveLength(1);
  });

  it('that fails names the remedy of a missing right only if one is missing', async () => {
    const url = await empty();
    const user = await login(url, '');
    await expect(migrate(user, false)).rejects.toThrow(
      /^The database cannot be migrated: permission denied .*\. Run `store-orders migrate` as somebody/,
    );
    await sql(url, `DROP ROLE ${new URL(user).username}`);
    await expect(migrate(user, false)).rejects.toThrow(
      /^The database cannot be migrated: role "\w+" does not exist\.$/,
    );
  });

  it('by a server is reported', async () => {
    const noticed: object[] = [];
    const given = watcher({ noticed: (_, about) => noticed.push(about) });
    await (await openPostgresStore(await oldStore(WITH_EPOCHS), given)).close();
    expect(noticed).toEqual([{ from: WITH_EPOCHS, to: SCHEMA_VERSION }]);
  });

  it('of many databases of one server at once gets by with its roles', async () => {
    const urls = await Promise.all(Array.from({ length: 5 }, empty));
    await Promise.all(urls.map((url) => migrate(url, true)));
    expect(new Set(await Promise.all(urls.map(open))).size).toBe(5);
  });

  it('is done by a start whose user may', async () => {
    const url = await empty();
    const id = await open(url);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(await open(url)).toBe(id);
    expect(await migrate(url, true)).toStrictEqual({
      from: SCHEMA_VERSION,
      to: SCHEMA_VERSION,
      restored: [],
    });
  });

  it('is refused to a start whose user may not, with the remedy', async () => {
    const url = await login(await empty(), '');
    await expect(open(url)).rejects.toThrow(UserError);
    await expect(open(url)).rejects.toThrow(/permission denied.*store-orders migrate/s);
  });

  it('takes no rights but those of whoever created the roles', async () => {
    const url = await empty();
    const admin = await login(url, 'CREATEROLE NOINHERIT');
    const user = new URL(admin).username;
    // PostgreSQL gives this to whoever creates a role, and nothing else.
    await sql(
      url,
      `GRANT store_orders_owner TO ${user} WITH ADMIN TRUE, SET FALSE, INHERIT FALSE;
       ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO ${user}`,
    );
    expect(await migrate(admin, true)).toMatchObject({ from: 0, to: SCHEMA_VERSION });
    expect(await migrate(admin, true)).toMatchObject({ from: SCHEMA_VERSION });
  });

  it('lets the application record refusals where functions are kept from everybody', async () => {
    const url = await empty();
    await sql(url, 'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC');
    await migrate(url, true);
    const user = await login(url, 'IN ROLE store_orders_app');
    await sql(user, 'DELETE FROM store_orders.refusals');
  });

  it('takes no superuser, and leaves the tables to the role that owns them', async () => {
    const url = await empty();
    const admin = await login(url, 'CREATEROLE');
    await sql(url, `GRANT store_orders_owner TO user_${new URL(url).pathname.slice(1)}`);
    await sql(
      url,
      `GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)}
      TO user_${new URL(url).pathname.slice(1)} WITH GRANT OPTION`,
    );
    await migrate(admin, true);
    const owners = await sql(
      url,
      `SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'store_orders'`,
    );
    expect(owners).toStrictEqual([{ tableowner: 'store_orders_owner' }]);
  });
});

describe.each([15, 18] as const)('on PostgreSQL %i, the check of the schema', (version) => {
  it.each(
    MIGRATIONS.keys()
      .map((index) => index + 1)
      .toArray(),
  )('has nothing against schema %i as its migrations make it', async (schema) => {
    expect(await flawsOf(await oldStore(schema, version))).toStrictEqual([]);
  });
});

describe('a store that must not be changed is left unchanged:', () => {
  it('one of a newer version', async () => {
    const url = await newDatabase();
    await sql(url, 'UPDATE store_orders.store SET schema_version = 99');
    await expect(open(url)).rejects.toThrow(/has schema 99, and this version knows up to \d+/);
    await expect(migrate(url, true)).rejects.toThrow(/Nothing was changed/);
    expect(await sql(url, 'SELECT schema_version FROM store_orders.store')).toStrictEqual([
      { schema_version: 99 },
    ]);
  });

  it("another program's schema of the same name", async () => {
    const url = await empty();
    await sql(url, 'CREATE SCHEMA store_orders; CREATE TABLE store_orders.pets (name text)');
    await expect(open(url)).rejects.toThrow(/is of another program. Nothing was changed/);
    await expect(migrate(url, true)).rejects.toThrow(UserError);
  });

  it('one that is being copied', async () => {
    const url = await newDatabase();
    await sql(url, 'UPDATE store_orders.store SET is_whole = false');
    await expect(open(url)).rejects.toThrow(/is being copied into this one/);
  });
});

it.each(Array.from({ length: SCHEMA_VERSION - 1 }, (_, n) => n + 1))(
  'a store of schema %i is checked as it is, and changes to it are found in its own way',
  async (schema) => {
    const url = await oldStore(schema);
    expect(await flawsOf(url)).toEqual([]);
    const [column, value] = schema < WITH_CHECKSUMS ? ['', ''] : [', checksum', `, '\\x00'`];
    await sql(
      url,
      `INSERT INTO store_orders.api_keys (id, name, hash, scopes, created_at${column})
         VALUES ('AbCdEfGh01', '"x"', '\\x0102', '', '2026-01-01T12:00:00.000Z'${value})`,
    );
    if (schema >= WITH_EPOCHS) await sql(url, `INSERT INTO store_orders.epochs VALUES (1, 'x')`);
    expect(await flawsOf(url)).toEqual([
      ...(schema < WITH_CHECKSUMS
        ? []
        : ['the row "AbCdEfGh01" of api_keys is not as it was recorded']),
      ...(schema < WITH_EPOCHS ? [] : [expect.stringContaining('epoch')]),
    ]);
  },
);

describe('an instance that serves a store while a newer version migrates it', () => {
  /** The migrations that replaced a function: older instances have to be stopped before them. */
  const REPLACING = [8];
  const additions = `
    CREATE TABLE store_orders.later (id integer PRIMARY KEY CHECK (id > 0));
    CREATE FUNCTION store_orders.later() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER later AFTER INSERT ON store_orders.events
      FOR EACH ROW EXECUTE FUNCTION store_orders.later();
    ALTER TABLE store_orders.events ADD COLUMN later text CHECK (later <> '');
    CREATE INDEX later_events ON store_orders.events (later);
    CREATE VIEW store_orders.late AS SELECT 1;
    CREATE SEQUENCE store_orders.lately;`;
  const next = `${additions} UPDATE store_orders.store SET schema_version = ${SCHEMA_VERSION + 1};`;

  it.each(Array.from({ length: SCHEMA_VERSION - 1 }, (_, n) => n + 2))(
    'finds no flaw after the migration to schema %i, unless that replaces a function',
    async (schema) => {
      const db = new Database(await oldStore(schema));
      onTestFinished(() => db.close());
      const flaws = await flawsInSchema(db, schema - 1);
      expect(flaws.length > 0).toBe(REPLACING.includes(schema));
    },
  );

  it('goes on recording, and its checks of the store find nothing', async () => {
    const url = await newDatabase();
    const log = new PostgresEventLog(new Database(url));
    onTestFinished(() => log.close());
    const writer = await Writer.open(log);
    const record = () => writer.execute([{ command: PLACE, by: 'x', commandId: 'c' }]);
    expect(await record()).toMatchObject([{ kind: 'accepted' }]);
    await sql(url, next);
    await checkPostgresStore(url, UNPACED);
    expect(await record()).toMatchObject([{ kind: 'accepted' }]);
  });

  it.each([
    ['additions without a migration', additions, /none of this program's$/],
    [
      'a rule',
      `${next} CREATE RULE later AS ON DELETE TO store_orders.events DO INSTEAD NOTHING`,
      /^the rule later of the database is none of this program's$/,
    ],
    [
      'a missing trigger',
      `${next} DROP TRIGGER epochs_never_change ON store_orders.epochs`,
      /^the trigger epochs_never_change of the database is not there$/,
    ],
    [
      'a disabled trigger',
      `${next} ALTER TABLE store_orders.epochs DISABLE TRIGGER epochs_never_change`,
      /^the trigger epochs_never_change of the database is disabled$/,
    ],
    [
      'a missing table',
      `${additions} DROP TABLE store_orders.store`,
      /^the table store of the database is not there$/,
    ],
  ])('finds %s', async (...given) => {
    const [, changes, flaw] = given;
    const url = await newDatabase();
    await sql(url, changes);
    const found = await checkPostgresStore(url, UNPACED).catch((error) => error);
    expect(found).toBeInstanceOf(AlteredSchema);
    expect(found.message).toMatch(flaw);
  });
});

it('a store of an older schema gets the checksums that its rows would have been given', async () => {
  const url = await oldStore(WITH_CHECKSUMS - 1);
  await sql(
    url,
    `INSERT INTO store_orders.api_keys (id, name, hash, scopes, created_at, expires_at) VALUES
       ('AbCdEfGh01', '"Zoë \\"the\\" key"', '\\x0102', 'orders:read', '2026-01-01T12:00:00.000Z',
        '2026-02-01T12:00:00.000Z');
     INSERT INTO store_orders.kept_outcomes VALUES
       ('AbCdEfGh01', 'k-ä', 'f', 9223372036854775807, 1, NULL),
       ('AbCdEfGh01', 'l', 'f', NULL, NULL, 'order_not_found')`.replaceAll('\\\\', '\\'),
  );
  await migrate(url, false);
  const db = new Database(url);
  expect(await new PostgresKeyStore(db).list()).toMatchObject([{ name: 'Zoë "the" key' }]);
  const kept = await readKeptAfter(db, { by: '', key: '' }, 10);
  expect(kept.map(({ decided }) => decided)).toEqual([
    { kind: 'accepted', orderId: 2n ** 63n - 1n, version: 1 },
    { kind: 'rejected', reason: 'order_not_found' },
  ]);
  await db.close();
});

it('the keys of a store from before limits are valid, have none, and can be limited', async () => {
  const url = await oldStore(WITH_LIMITS - 1);
  const key = { id: 'AbCdEfGh01', name: 'x', hash: Buffer.of(1), scopes: [], createdAt: NOON };
  const db = new Database(url);
  const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at, checksum';
  const text = `INSERT INTO store_orders.api_keys (${columns})
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`;
  // Names are JSON texts there.
  await db.query({ name: 'old_key', text }, keyRow({ ...key, name: '"x"' }).slice(0, -2));
  await migrate(url, false);
  const keys = new PostgresKeyStore(db);
  expect(await keys.list()).toStrictEqual([key]);
  expect(await keys.limit(key.id, { streams: 3 })).toBe(true);
  expect(await keys.find(key.id)).toStrictEqual({ ...key, limits: { streams: 3 } });
  await db.close();
});

it('a store from before traces records them, and the application may', async () => {
  const url = await oldStore(WITH_LIMITS);
  await migrate(url, true);
  const mine = await login(url, 'IN ROLE store_orders_app');
  const db = new Database(mine);
  const log = new PostgresEventLog(db);
  const traced = { ...newEvent(placed(1n)), traceparent: TRACEPARENT };
  expect(await log.append(0, () => [traced])).toMatchObject({ kind: 'appended' });
  expect(await new PostgresTrail(db).traces([1])).toStrictEqual(new Map([[1, TRACEPARENT]]));
  await log.close();
});

it('the keys of a store from before their changes are covered, and those of older instances', async () => {
  const url = await oldStore(WITH_SECOND_PLACES - 1);
  const key = { id: 'AbCdEfGh01', name: 'x', hash: Buffer.of(1), scopes: [], createdAt: NOON };
  const another = { ...key, id: 'AbCdEfGh02' };
  const db = new Database(url);
  const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at, checksum';
  const text = `INSERT INTO store_orders.api_keys (${columns}, limits, limits_checksum)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
  const insert = (row: ApiKey) =>
    db.query({ name: 'old_key', text }, keyRow({ ...row, name: '"x"' }));
  await insert(key);
  await migrate(url, false);
  await insert(another);
  const keys = new PostgresKeyStore(db);
  expect(await keys.list()).toStrictEqual([key, another]);
  expect(await keys.revoke(key.id, NOON)).toBe(true);
  expect(await keys.find(key.id)).toStrictEqual({ ...key, revokedAt: NOON });
  const changes = 'SELECT id, change FROM store_orders.key_changes ORDER BY id, change';
  expect(await db.query({ name: 'changes', text: changes })).toEqual([
    ['AbCdEfGh01', 1],
    ['AbCdEfGh01', 2],
    ['AbCdEfGh02', 1],
  ]);
  await db.close();
});
