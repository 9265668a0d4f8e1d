import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { DamagedStore, StoreUnavailable } from '../../../src/app/ports/store.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import { MAX_INT64, type PetId } from '../../../src/domain/order-id.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { isOutage } from '../../../src/infra/postgres/connection/errors.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { openPostgresEvidence } from '../../../src/infra/postgres/evidence.ts';
import { KnownHead } from '../../../src/infra/postgres/known-head.ts';
import { growth, MerkleTables } from '../../../src/infra/postgres/merkle-tables.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/store.ts';
import { readStored } from '../../../src/infra/postgres/stored-events.ts';
import { newEvent, placed } from '../../support/events.ts';
import { isNightly } from '../../support/nightly.ts';
import { Cluster, placeInMemory, type Version } from '../../support/postgres/cluster.ts';
import { newDatabase, POSTGRES_VERSIONS } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { fillHonestly } from '../../support/tampering.ts';
import { check, evidenceContract, type HeldStore } from '../evidence.ts';

const TABLES = ['events', 'tree', 'tree_nodes'];
/** What an honest store of these has no rows of. */
const EMPTY_TABLES = ['api_keys', 'key_changes', 'kept_outcomes'];

const blob = (digits?: string) => (digits === undefined ? 'bytea' : `'\\x${digits}'::bytea`);

/** Turns the triggers off for a session: a superuser can, without a trace in the schema. */
const AS_REPLICA = 'SET session_replication_role = replica; SET search_path = store_orders, public';

const EDGE = "the tree's right edge is damaged";

const NO_CHECK = 'ALTER TABLE events DROP CONSTRAINT IF EXISTS events_position_check;';
const CHECK = 'ALTER TABLE events ADD CONSTRAINT events_position_check CHECK (position > 0)';

function held(url: string): HeldStore {
  const tamper = async (change: string) => void (await sql(url, `${AS_REPLICA}; ${change}`));
  return {
    open: () => openPostgresEvidence(url),
    tamper,
    async coverUp() {
      const db = new Database(url);
      const { edge, nodes } = growth(Buffer.alloc(8), await readStored(db, 0, 10_000));
      await db.close();
      const [heights, places, hashes] = nodes;
      const rows = heights.map((height, index) => {
        return `(${height}, ${places[index]}, ${blob(hashes[index]?.toString('hex'))})`;
      });
      await tamper(`UPDATE tree SET edge = ${blob(edge.toString('hex'))};
        DELETE FROM tree_nodes; INSERT INTO tree_nodes VALUES ${rows.join()}`);
    },
  };
}

/** A store of 700 events in a database of its own. */
async function honest(version: Version = 18): Promise<string> {
  const url = await newDatabase(version);
  const log = new PostgresEventLog(new Database(url));
  await fillHonestly(log);
  await log.close();
  return url;
}

describe.each(POSTGRES_VERSIONS)('on PostgreSQL %i', (version) => {
  let url: string;
  beforeAll(async () => {
    url = await honest(version);
    const copies = TABLES.map((table) => {
      return `CREATE TABLE saved.${table} AS TABLE store_orders.${table}`;
    });
    await sql(url, ['CREATE SCHEMA saved', ...copies].join(';'));
  });

  /** Puts the store back to what it was: much faster than another database. */
  async function given(): Promise<HeldStore> {
    const all = [...TABLES, ...EMPTY_TABLES].map((table) => `store_orders.${table}`).join();
    const back = TABLES.map((table) => `INSERT INTO store_orders.${table} TABLE saved.${table}`);
    const count = 'UPDATE store_orders.store SET kept_outcomes = 0';
    await sql(url, [AS_REPLICA, NO_CHECK, `TRUNCATE ${all}`, count, ...back, CHECK].join(';'));
    const store = held(url);
    return {
      ...store,
      // Whoever changes a position comes upon what no trigger has to see to.
      tamper: (change) =>
        store.tamper(/SET position = 0/.test(change) ? NO_CHECK + change : change),
    };
  }

  evidenceContract(`PostgreSQL ${version}`, given, blob, isNightly ? 50 : 10);
});

describe('A store in PostgreSQL', () => {
  it('may be empty', async () => {
    expect(await check(held(await newDatabase()))).toMatchObject({ size: 0, findings: [] });
  });

  it('can be checked with read privileges only', async () => {
    const url = await honest();
    const auditor = `auditor_${new URL(url).pathname.slice(1)}`;
    await sql(
      url,
      `CREATE ROLE ${auditor} LOGIN; GRANT USAGE ON SCHEMA store_orders TO ${auditor};
       GRANT SELECT ON store_orders.store, store_orders.events, store_orders.tree,
         store_orders.tree_nodes, store_orders.epochs TO ${auditor}`,
    );
    const checked = await check(held(url.replace('postgres@', `${auditor}@`)));
    expect(checked).toMatchObject({ size: 700, findings: [] });
  });

  it('is read as of one moment, whatever is appended meanwhile', async () => {
    const url = await honest();
    const log = new PostgresEventLog(new Database(url));
    onTestFinished(() => log.close());
    const evidence = await openPostgresEvidence(url);
    const { metadata, ...event } = newEvent(placed(9_007_199_254_740_993n));
    const later = { ...event, metadata: { ...metadata, at: '2099-01-01T00:00:00.000Z' as never } };
    expect(await log.append(700, () => [later])).toMatchObject({ kind: 'appended' });
    expect(evidence.last).toBe(700);
    const passed = await check({ open: async () => evidence });
    expect(passed).toMatchObject({ size: 700, findings: [] });
    expect(await check(held(url))).toMatchObject({ size: 701, findings: [] });
  });

  it('is found to be what it is where its indexes are gone, and an event stands there twice', async () => {
    const url = await honest();
    const store = held(url);
    await store.tamper(`ALTER TABLE events DROP CONSTRAINT events_pkey;
      INSERT INTO events SELECT * FROM events WHERE position = 400`);
    const { findings } = await check(store);
    expect(findings).toEqual([
      { from: 401, problem: 'position 400 stands in its place' },
      { problem: 'the index events_pkey of the database is not there' },
    ]);
  });

  it('is found to be no whole one while it is a copy under way', async () => {
    const url = await newDatabase();
    await sql(url, 'UPDATE store_orders.store SET is_whole = false');
    const problem = 'it is not whole: another store is being copied into it';
    expect((await check(held(url))).findings).toEqual([{ problem }]);
  });

  const DISABLED = 'the trigger events_never_change of the database is disabled';
  it.each([
    ['ALTER TABLE events DISABLE TRIGGER events_never_change', DISABLED],
    ['ALTER TABLE events ENABLE REPLICA TRIGGER events_never_change', DISABLED],
    [
      'DROP TRIGGER tree_only_grows ON tree',
      'the trigger tree_only_grows of the database is not there',
    ],
    [
      `DROP TRIGGER tree_is_one ON tree; CREATE TRIGGER tree_is_one BEFORE INSERT ON tree
         FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
      'the trigger tree_is_one of the database is another one',
    ],
    [
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RETURN NULL; END $$`,
      'the function refuse of the database is another one',
    ],
    [
      'CREATE TRIGGER helpful AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse()',
      "the trigger helpful of the database is none of this program's",
    ],
    [
      'CREATE RULE quiet AS ON UPDATE TO events DO INSTEAD NOTHING',
      "the rule quiet of the database is none of this program's",
    ],
    [
      'CREATE FUNCTION refuse(integer) RETURNS integer LANGUAGE sql RETURN 1',
      "the function refuse(integer) of the database is none of this program's",
    ],
    [
      'CREATE AGGREGATE refuse(bigint) (SFUNC = int8larger, STYPE = bigint)',
      "the function refuse(bigint) of the database is none of this program's",
    ],
    [
      'CREATE TRIGGER events_never_change BEFORE UPDATE ON api_keys EXECUTE FUNCTION refuse()',
      'the trigger events_never_change of the database is there twice',
    ],
    [
      'ALTER FUNCTION refuse() SET search_path = public, pg_catalog',
      'the function refuse of the database is another one',
    ],
    [
      'ALTER FUNCTION refuse() SECURITY DEFINER',
      'the function refuse of the database is another one',
    ],
    [
      'ALTER TABLE events ALTER order_id TYPE numeric',
      'the column events.order_id of the database is another one',
    ],
    [
      'ALTER TABLE events ALTER data TYPE json USING data::json',
      'the column events.data of the database is another one',
    ],
    [
      'ALTER TABLE api_keys ALTER id TYPE text COLLATE "default"',
      'the column api_keys.id of the database is another one',
    ],
    [
      'ALTER TABLE events ALTER data DROP NOT NULL',
      'the column events.data of the database is another one',
    ],
    [
      `ALTER TABLE events ALTER metadata SET DEFAULT ''`,
      'the column events.metadata of the database is another one',
    ],
    [
      'ALTER TABLE events ADD COLUMN more text',
      "the column events.more of the database is none of this program's",
    ],
    ['ALTER TABLE store DROP COLUMN home', 'the column store.home of the database is not there'],
    [
      'ALTER TABLE events DROP CONSTRAINT events_position_check',
      'the constraint events_position_check of the database is not there',
    ],
    [
      'ALTER TABLE events ADD CHECK (version < 9) NOT VALID',
      "the constraint events_version_check of the database is none of this program's",
    ],
    [
      'ALTER TABLE key_changes ADD FOREIGN KEY (id) REFERENCES api_keys ON DELETE CASCADE',
      "the constraint key_changes_id_fkey of the database is none of this program's",
    ],
    [
      `ALTER TABLE events DROP CONSTRAINT events_pkey;
       ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (position, version)`,
      'the index events_pkey of the database is another one',
    ],
    [
      `ALTER TABLE events DROP CONSTRAINT events_pkey;
       ALTER TABLE events ADD CONSTRAINT events_pkey PRIMARY KEY (position) DEFERRABLE`,
      'the index events_pkey of the database is another one',
    ],
    [
      'CREATE TABLE part (x text) PARTITION BY LIST (x)',
      "the table part of the database is none of this program's",
    ],
    [
      'CREATE TABLE public.above (LIKE events); ALTER TABLE events INHERIT public.above',
      'the table events of the database is another one (inherited)',
    ],
    ['CREATE SEQUENCE notes', "the sequence notes of the database is none of this program's"],
    ['CREATE TABLE notes (x text)', "the table notes of the database is none of this program's"],
    ['CREATE VIEW notes AS SELECT 1', "the view notes of the database is none of this program's"],
  ])('is flawed where its schema was changed: %s', async (change, problem) => {
    const store = held(await newDatabase());
    await store.tamper(change);
    expect((await check(store)).findings).toEqual([{ problem }]);
  });

  it('is flawed where the triggers are turned off for all sessions of the database', async () => {
    const url = await newDatabase();
    const name = new URL(url).pathname.slice(1);
    await sql(url, `ALTER DATABASE ${name} SET session_replication_role = replica`);
    expect((await check(held(url))).findings).toEqual([
      {
        problem:
          'session_replication_role=replica: the triggers that keep the log append-only are not run',
      },
    ]);
  });

  it.each<[change: string, problem: string, atStart?: string]>([
    [
      'ALTER TABLE tree ALTER edge DROP NOT NULL; UPDATE tree SET edge = NULL',
      EDGE,
      'the column tree.edge of the database is another one',
    ],
    [`UPDATE tree SET edge = ''`, EDGE],
    [`UPDATE tree SET edge = substr(edge, 1, 20)`, EDGE],
    ['DELETE FROM tree', EDGE, 'the log has no tree'],
    ['INSERT INTO tree SELECT * FROM tree', EDGE],
    [`INSERT INTO tree VALUES ('\\x0000000000000000')`, EDGE],
    ['DELETE FROM store', 'the table store has 0 rows, and must have one'],
    ['INSERT INTO store SELECT * FROM store', 'the table store has 2 rows, and must have one'],
    [`UPDATE store SET id = ''`, 'the id of the store is damaged'],
    [
      'ALTER TABLE store ALTER id DROP NOT NULL; UPDATE store SET id = NULL',
      'the id of the store is damaged',
    ],
  ])('is damaged, for verify and at a start, by %s', async (change, problem, atStart = problem) => {
    const url = await honest();
    const store = held(url);
    await store.tamper(change);
    const found = (await check(store)).findings.map((finding) => finding.problem);
    expect(found).toContain(problem);
    await expect(openPostgresForCommandLine(url)).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining(atStart),
    });
  });

  it.each([
    'DROP TABLE store_orders.tree_nodes CASCADE',
    'ALTER TABLE store_orders.events RENAME TO other',
    'ALTER TABLE store_orders.tree RENAME COLUMN edge TO other',
  ])('cannot be checked while its schema is altered, which is named: %s', async (change) => {
    const url = await newDatabase();
    await sql(url, change);
    await expect(openPostgresEvidence(url)).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(/does not exist\. The schema of the store was altered: undo /),
    });
  });

  it('is damaged, and not unreachable, for an instance that finds a node missing', async () => {
    const url = await honest();
    const db = new Database(url);
    const known = new KnownHead(db, {});
    onTestFinished(async () => {
      known.close();
      await db.close();
    });
    known.note(await new MerkleTables(db).edge(), known.edge);
    await known.compare(db);
    await held(url).tamper('DELETE FROM tree_nodes WHERE place = 1');
    const damage = new DamagedStore('the tree of the log lacks nodes at height 8');
    const found = await known.compare(db).catch((error) => error);
    expect(found).toEqual(damage);
    expect(isOutage(found)).toBe(false);
  });

  it.each([
    ['ALTER hash DROP NOT NULL', 'NULL'],
    [`ALTER hash TYPE text USING encode(hash, 'hex')`, 'hash'],
  ])('is damaged where nodes of the tree are no bytes: %s', async (alter, value) => {
    const url = await honest();
    const store = held(url);
    await store.tamper(`ALTER TABLE tree_nodes ${alter}; UPDATE tree_nodes SET hash = ${value}`);
    expect((await check(store)).findings).toContainEqual({
      from: 1,
      to: 256,
      problem: expect.stringMatching(/^the tree's node at height 8, place 0, /),
    });
  });

  it('ends at its last event, and not at the highest number of all', async () => {
    const store = held(await honest());
    await store.tamper(`INSERT INTO events SELECT ${MAX_INT64}, order_id, version, type,
      schema_version, data, metadata FROM events WHERE position = 1`);
    expect((await check(store)).findings).toContainEqual({ from: 701, problem: 'it is missing' });
  });

  it('keeps its guards where they are switched on for good', async () => {
    const store = held(await newDatabase());
    await store.tamper('ALTER TABLE events ENABLE ALWAYS TRIGGER events_never_change');
    expect((await check(store)).findings).toEqual([]);
  });
});

describe('What is no store in PostgreSQL is refused:', () => {
  it.each<[string, () => Promise<string>, RegExp]>([
    ['nothing', () => newDatabase(18, 'template1'), /^There is no store in postgres:\/\/127/],
    ['a server that is not there', async () => 'postgres://a:b@127.0.0.1:1/c', /ECONNREFUSED/],
    [
      'a store of a newer version',
      async () => changed('UPDATE store_orders.store SET schema_version = 99'),
      /has schema 99, and this version knows up to \d+/,
    ],
    [
      'a store without its tables',
      async () => changed('DROP TABLE store_orders.events'),
      /relation "store_orders\.events" does not exist/,
    ],
  ])('%s', async (_, make, message) => {
    await expect(openPostgresEvidence(await make())).rejects.toThrow(
      expect.objectContaining({ name: 'UserError', message: expect.stringMatching(message) }),
    );
  });
});

async function changed(change: string): Promise<string> {
  const url = await newDatabase();
  await sql(url, change);
  return url;
}

/** A server with an honest log, whose pages have checksums from the start. */
async function clusterOfItsOwn(): Promise<Cluster> {
  const cluster = await Cluster.start(18, {}, placeInMemory());
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  const url = cluster.url('postgres');
  await migrate(url, true);
  const log = new PostgresEventLog(new Database(url));
  await fillHonestly(log, 7n, 5_000);
  await log.close();
  return cluster;
}

describe('What the server itself cannot read', () => {
  it('is reported with the first event after it', async () => {
    const cluster = await clusterOfItsOwn();
    const url = cluster.url('postgres');
    const [page] = await cluster.sql<{ file: string; first: string }>(`
      SELECT pg_relation_filepath('store_orders.events') AS file, min(position) AS first
        FROM store_orders.events WHERE (ctid::text::point)[0] = 60`);
    await cluster.end();
    const file = join(cluster.data, page?.file ?? '');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 60 * 8_192 + 100, 60 * 8_192 + 200);
    writeFileSync(file, bytes);
    await cluster.begin();
    const { size, findings } = await check(held(url));
    const from = Number(page?.first);
    expect(from).toBeGreaterThan(2_000);
    expect(size).toBe(from - 1);
    const problem = expect.stringMatching(
      /^it cannot be read: invalid page in block 60 of relation/,
    );
    expect(findings).toEqual([{ from, problem }]);
  });

  it('is reported of an index of kept outcomes', async () => {
    const cluster = await clusterOfItsOwn();
    const url = cluster.url('postgres');
    const log = new PostgresEventLog(new Database(url));
    const command = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
    const writer = await Writer.open(log);
    await writer.execute([{ command, by: 'x', commandId: 'c', idempotencyKey: 'k' }]);
    await log.close();
    const [index] = await cluster.sql<{ file: string }>(
      `SELECT pg_relation_filepath('store_orders.kept_outcomes_pkey') AS file`,
    );
    await cluster.end();
    const file = join(cluster.data, index?.file ?? '');
    const bytes = readFileSync(file);
    bytes.fill(0xff, 8_192 + 100, 8_192 + 200);
    writeFileSync(file, bytes);
    await cluster.begin();
    const { size, findings } = await check(held(url));
    expect(size).toBe(5_001);
    const problem = expect.stringMatching(/^invalid page in block 1 of relation/);
    expect(findings).toEqual([{ problem }]);
  });

  it('is not a verdict if the server has gone', async () => {
    const cluster = await clusterOfItsOwn();
    const url = cluster.url('postgres');
    const evidence = await openPostgresEvidence(url);
    await cluster.end();
    await expect(verifyStore(evidence, [], async () => {})).rejects.toThrow(StoreUnavailable);
    await evidence.close();
  });
});
