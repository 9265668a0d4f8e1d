import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgresCopy } from '../../../src/infra/postgres/copy.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { SCHEMA_VERSION } from '../../../src/infra/postgres/schema.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

const NOBODY = { lost() {}, impaired() {}, mended() {}, noticed() {} };

async function open(url: string): Promise<void> {
  await (await openPostgresStore(url, NOBODY)).close();
}

/** The lines with which a start is refused. */
async function refusal(url: string): Promise<readonly string[]> {
  const error = await open(url).then(
    () => expect.fail('it was opened'),
    (cause: Error) => cause,
  );
  expect(error.name).toBe('UserError');
  return error.message.split('\n');
}

/** Makes a user who may log in, with the rights that follow, and returns the address that is theirs. */
async function login(url: string, rights = ''): Promise<string> {
  const user = `user_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN ${rights}`);
  onTestFinished(async () => {
    await sql(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`);
  });
  return url.replace('postgres@', `${user}@`);
}

const userOf = (url: string) => new URL(url).username;
const nameIn = (url: string) => new URL(url).pathname.slice(1);

describe('a guard that is amiss refuses a start, and migrate puts it right:', () => {
  it.each([
    [
      'a disabled trigger',
      'ALTER TABLE store_orders.events DISABLE TRIGGER events_are_dense',
      /trigger events_are_dense of the database is disabled/,
    ],
    [
      'all triggers disabled',
      'ALTER TABLE store_orders.tree DISABLE TRIGGER ALL',
      /trigger tree_is_one of the database is disabled/,
    ],
    [
      'a trigger for replication only',
      'ALTER TABLE store_orders.events ENABLE REPLICA TRIGGER events_never_change',
      /trigger events_never_change of the database is disabled/,
    ],
    [
      'a missing trigger',
      'DROP TRIGGER tree_only_grows ON store_orders.tree',
      /trigger tree_only_grows of the database is not there/,
    ],
    [
      'a trigger that does less',
      'DROP TRIGGER kept_outcomes_never_change ON store_orders.kept_outcomes; CREATE TRIGGER kept_outcomes_never_change BEFORE DELETE ON store_orders.kept_outcomes FOR EACH STATEMENT EXECUTE FUNCTION store_orders.refuse()',
      /trigger kept_outcomes_never_change of the database is another one/,
    ],
    [
      'a function with another body',
      `CREATE OR REPLACE FUNCTION store_orders.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$`,
      /function refuse of the database is another one/,
    ],
    [
      'a function with another body, beside one of its name with the body that it had',
      `CREATE FUNCTION store_orders.refuse(int) RETURNS int LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% is append-only: no %', TG_TABLE_NAME, TG_OP;
  END $$; CREATE OR REPLACE FUNCTION store_orders.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
      /function refuse of the database is another one/,
    ],
    [
      'a function that finds other functions first',
      'ALTER FUNCTION store_orders.refuse_gap_in_events() SET search_path = public, pg_catalog',
      /function refuse_gap_in_events of the database is another one/,
    ],
    [
      'a function that was dropped with its triggers',
      'DROP FUNCTION store_orders.refuse() CASCADE',
      /function refuse of the database is not there/,
    ],
  ])('%s', async (_, harm, words) => {
    const url = await newDatabase();
    await open(url);
    await sql(url, harm);
    const lines = await refusal(url);
    expect(lines.join('\n')).toMatch(words);
    for (const line of lines)
      expect(line).toMatch(/Run `store-orders migrate`, and then `store-orders verify`\.$/);
    const { restored, from } = await migrate(url, true);
    expect(from).toBe(SCHEMA_VERSION);
    expect(restored.join('\n')).toMatch(words);
    expect(restored).toHaveLength(lines.length);
    await open(url);
    await expect(sql(url, 'TRUNCATE store_orders.events')).rejects.toThrow(/append-only/);
    expect((await migrate(url, true)).restored).toStrictEqual([]);
  });
});

describe('a start is refused for flaws that only the owner can mend:', () => {
  it.each([
    [
      'a trigger of somebody else',
      `CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER swallow BEFORE INSERT ON store_orders.events FOR EACH ROW EXECUTE FUNCTION public.nothing()`,
      /trigger swallow of the database is none of this program's/,
    ],
    [
      'a rule',
      'CREATE RULE swallow AS ON INSERT TO store_orders.refusals DO INSTEAD NOTHING',
      /rule swallow of the database is none of this program's/,
    ],
    [
      'a table that a crash empties',
      'ALTER TABLE store_orders.kept_outcomes SET UNLOGGED',
      /table kept_outcomes of the database is another one/,
    ],
    [
      'rows that are hidden',
      'ALTER TABLE store_orders.events ENABLE ROW LEVEL SECURITY',
      /table events of the database is another one \(row security\)\. Undo that, and run `store-orders verify`\.$/,
    ],
    [
      'a table with heirs',
      'CREATE TABLE public.more () INHERITS (store_orders.events)',
      /table events of the database is another one/,
    ],
    [
      'a trigger with the name of one of another table',
      `CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; CREATE TRIGGER events_never_change BEFORE UPDATE ON store_orders.api_keys FOR EACH ROW EXECUTE FUNCTION public.nothing()`,
      /trigger events_never_change of the database is there twice/,
    ],
    [
      'a table through whose parent rows are changed without its triggers',
      'CREATE TABLE public.above (LIKE store_orders.events); ALTER TABLE store_orders.events INHERIT public.above',
      /table events of the database is another one/,
    ],
    [
      'a column of another type',
      'ALTER TABLE store_orders.events ALTER position TYPE numeric',
      /column events.position of the database is another one/,
    ],
    [
      'a primary key of more columns',
      'ALTER TABLE store_orders.tree_nodes DROP CONSTRAINT tree_nodes_pkey; ALTER TABLE store_orders.tree_nodes ADD CONSTRAINT tree_nodes_pkey PRIMARY KEY (height, place, hash)',
      /index tree_nodes_pkey of the database is another one/,
    ],
    [
      'a key that a row of another table deletes',
      'CREATE TABLE public.k (id text PRIMARY KEY); ALTER TABLE store_orders.api_keys ADD FOREIGN KEY (id) REFERENCES public.k ON DELETE CASCADE',
      /constraint api_keys_id_fkey of the database is none of this program's/,
    ],
    [
      'a missing index',
      'ALTER TABLE store_orders.tree_nodes DROP CONSTRAINT tree_nodes_pkey',
      /index tree_nodes_pkey of the database is not there/,
    ],
  ])('%s', async (_, harm, words) => {
    const url = await newDatabase();
    await sql(url, harm);
    expect((await refusal(url)).join('\n')).toMatch(words);
  });

  it('rows that are hidden from the user, even that of the store', async () => {
    const url = await newDatabase();
    const mine = await login(url, 'IN ROLE store_orders_app');
    for (const table of ['tree', 'store']) {
      await sql(url, `ALTER TABLE store_orders.${table} ENABLE ROW LEVEL SECURITY`);
      expect((await refusal(mine)).at(-1)).toContain(
        `: the table ${table} of the database is another one (row security). Undo that`,
      );
      await sql(url, `ALTER TABLE store_orders.${table} DISABLE ROW LEVEL SECURITY`);
    }
  });

  it('but not for additions for reading', async () => {
    const url = await newDatabase();
    await sql(url, 'CREATE VIEW store_orders.types AS SELECT type FROM store_orders.events');
    await sql(url, 'CREATE INDEX by_order ON store_orders.events (order_id)');
    await sql(url, 'ALTER TABLE store_orders.events ADD COLUMN note text');
    await open(url);
  });
});

describe('a start is refused if its user lacks a privilege:', () => {
  it.each([
    ['INSERT ON store_orders.events', 'insert events'],
    ['INSERT ON store_orders.kept_outcomes', 'insert kept_outcomes'],
    ['INSERT ON store_orders.event_traces', 'insert event_traces'],
    ['INSERT ON store_orders.key_changes', 'insert key_changes'],
    ['UPDATE (edge) ON store_orders.tree', 'update tree'],
    ['UPDATE (kept_outcomes) ON store_orders.store', 'update store'],
    ['UPDATE (revoked_at) ON store_orders.api_keys', 'update api_keys'],
    ['UPDATE (limits) ON store_orders.api_keys', 'update api_keys'],
    ['DELETE ON store_orders.refusals', 'delete refusals'],
    ['SELECT ON store_orders.tree_nodes', 'select tree_nodes'],
  ])('without %s', async (right, told) => {
    const url = await newDatabase();
    const mine = await login(url);
    const user = userOf(mine);
    await sql(url, `GRANT store_orders_app TO ${user}`);
    await open(mine);
    // Rights that are a group's own cannot be taken from a member: the user gets all others.
    await sql(url, `REVOKE store_orders_app FROM ${user}`);
    await sql(
      url,
      `GRANT USAGE ON SCHEMA store_orders TO ${user};
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA store_orders TO ${user};`,
    );
    const [verb, , table] = right.replace(/ \(\w+\)/, '').split(' ');
    await sql(url, `REVOKE ${verb} ON ${table} FROM ${user}`);
    expect(await refusal(mine)).toStrictEqual([
      expect.stringContaining(`the user ${user} lacks rights (${told}). GRANT store_orders_app`),
    ]);
  });

  it('without that of a function that is called', async () => {
    const url = await newDatabase();
    const mine = await login(url, 'IN ROLE store_orders_app');
    await sql(
      url,
      'REVOKE EXECUTE ON FUNCTION store_orders.kept_refusals() FROM PUBLIC, store_orders_app',
    );
    expect(await refusal(mine)).toStrictEqual([
      expect.stringContaining('lacks rights (execute kept_refusals). GRANT store_orders_app'),
    ]);
  });

  it('without those of a group, which the user does not inherit', async () => {
    const url = await newDatabase();
    const mine = await login(url, 'NOINHERIT IN ROLE store_orders_app');
    expect(await refusal(mine)).toStrictEqual([
      expect.stringContaining('and let that user inherit it.'),
    ]);
  });

  it('without any', async () => {
    const url = await newDatabase();
    const mine = await login(url);
    expect(await refusal(mine)).toStrictEqual([
      expect.stringMatching(/permission denied for schema store_orders.*GRANT store_orders_app/),
    ]);
  });
});

describe('a setting of the user or of the database refuses a start:', () => {
  it.each([
    ['default_transaction_read_only', 'on'],
    ['session_replication_role', 'replica'],
    ['zero_damaged_pages', 'on'],
    ['ignore_checksum_failure', 'on'],
  ])('%s = %s', async (name, value) => {
    const url = await newDatabase();
    const mine = await login(url, 'SUPERUSER');
    for (const who of [`ROLE ${userOf(mine)}`, `DATABASE ${nameIn(url)}`]) {
      await open(mine);
      await sql(url, `ALTER ${who} SET ${name} = ${value}`);
      expect(await refusal(mine)).toStrictEqual([expect.stringContaining(`: ${name}=${value}: `)]);
      await sql(url.replace(nameIn(url), 'postgres'), `ALTER ${who} RESET ${name}`);
    }
  });

  it('server_encoding = LATIN1', async () => {
    const url = await newDatabase();
    const name = `${nameIn(url)}_latin1`;
    await sql(url, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`);
    const other = url.replace(nameIn(url), name);
    expect(await refusal(other)).toStrictEqual([expect.stringContaining('server_encoding=LATIN1')]);
  });

  it.each([
    ['LATIN1', "ENCODING 'LATIN1'", '', 'server_encoding=LATIN1'],
    ['SQL_ASCII', "ENCODING 'SQL_ASCII'", '', 'server_encoding=SQL_ASCII'],
    [
      'read only',
      "ENCODING 'UTF8'",
      'SET default_transaction_read_only = on',
      'default_transaction_read_only=on',
    ],
  ])('a migration makes no schema where no start could serve it: %s', async (...given) => {
    const [, made, set, told] = given;
    const admin = await newDatabase();
    const name = `${nameIn(admin)}_unfit`;
    await sql(admin, `CREATE DATABASE ${name} TEMPLATE template0 ${made} LOCALE 'C'`);
    if (set !== '') await sql(admin, `ALTER DATABASE ${name} ${set}`);
    const url = admin.replace(nameIn(admin), name);
    for (const work of [() => migrate(url, true), () => openPostgresCopy(url, 'x')]) {
      await expect(work()).rejects.toThrow(`: ${told}: `);
    }
    expect(await sql(url, `SELECT to_regnamespace('store_orders')::text AS it`)).toStrictEqual([
      { it: null },
    ]);
  });

  it('but not a migration, if the setting is of the user who migrates', async () => {
    const url = await newDatabase(18, 'template1');
    const mine = await login(url, 'SUPERUSER');
    await sql(url, `ALTER ROLE ${userOf(mine)} SET default_transaction_read_only = on`);
    await migrate(mine, true);
    await open(url);
  });

  it.each([
    ['full_page_writes', 'off'],
    ['data_sync_retry', 'on'],
  ])('of the server: %s = %s', async (name, value) => {
    const cluster = await Cluster.start(18, { [name]: value }, placeInMemory());
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    expect(await refusal(cluster.url('postgres'))).toStrictEqual([
      expect.stringContaining(`: ${name}=${value}: `),
    ]);
  });

  it('but not for settings that a session sets for itself', async () => {
    const url = await newDatabase();
    const mine = await login(url, 'SUPERUSER');
    await sql(url, 'CREATE SCHEMA other; CREATE TABLE other.events (position text)');
    for (const setting of [
      'search_path = other, public',
      `default_transaction_isolation = 'serializable'`,
      'synchronous_commit = off',
      `timezone = 'Pacific/Chatham'`,
      `datestyle = 'German'`,
      `intervalstyle = 'sql_standard'`,
      `bytea_output = 'escape'`,
      'statement_timeout = 25',
      'extra_float_digits = -5',
    ]) {
      await sql(url, `ALTER ROLE ${userOf(mine)} SET ${setting}`);
    }
    await open(mine);
  });
});

it('all flaws are reported at once, a line for each', async () => {
  const url = await newDatabase();
  const mine = await login(url);
  await sql(
    url,
    `GRANT USAGE ON SCHEMA store_orders TO ${userOf(mine)};
     GRANT SELECT ON ALL TABLES IN SCHEMA store_orders TO ${userOf(mine)};
     ALTER ROLE ${userOf(mine)} SET default_transaction_read_only = on;
     ALTER TABLE store_orders.events DISABLE TRIGGER events_never_change;`,
  );
  const lines = await refusal(mine);
  expect(lines).toStrictEqual([
    expect.stringContaining('default_transaction_read_only=on'),
    expect.stringMatching(/lacks rights \(.*insert events.*update tree.*\)/),
    expect.stringContaining('trigger events_never_change of the database is disabled'),
  ]);
  for (const line of lines) expect(line).toContain(`postgres://${new URL(url).host}/`);
});
