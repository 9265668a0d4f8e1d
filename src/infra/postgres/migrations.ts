import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Migrated } from '../../app/ports/store.ts';
import { refuseNewerSchema, requireOneStore } from '../checking/stored-check.ts';
import { shownAddress } from '../settings/postgres-address.ts';
import type { Statement } from './connection/connection.ts';
import { isDenied, isRefusal } from './connection/errors.ts';
import { orFound, Unanswered } from './connection/lost-answer.ts';
import { Route } from './connection/route.ts';
import { APP_ROLE, GRANTS, OWNER_ROLE } from './rights.ts';
import { MIGRATION_LOCK, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';
import { restoreGuards } from './schema-check.ts';
import { requireServableBySome } from './start/checks.ts';

/** The limit of an attempt to connect, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The limit of attempts at a migration that conflicts with one in another database of the server.
 */
const MAX_TRIES = 5;

/**
 * Migrates the schema of a store to the newest version. If several instances do so at once, one
 * does the work and the others wait. Throws {@link UserError} for a schema that must not be
 * touched.
 * @param roles True to create the roles, too, and to make the owner role own the tables.
 */
export async function migrate(url: string, roles: boolean): Promise<Migrated> {
  let migrated: Migrated | undefined;
  const change = () =>
    connectAndMigrate(url, roles, (committing) => {
      migrated = committing;
    });
  try {
    await orFound(shownAddress(url), 'the schema was migrated', change, async () => {
      // Migrates nothing more if that is done.
      await connectAndMigrate(url, roles, () => {});
      return true;
    });
    return migrated as Migrated;
  } catch (error) {
    if (error instanceof UserError) throw error;
    const failure = error as Error;
    const advice = isDenied(failure)
      ? ' Run `store-orders migrate` as somebody who may create schemas and roles there.'
      : '';
    throw new UserError(`The database cannot be migrated: ${failure.message}.${advice}`, {
      cause: error,
    });
  }
}

/** @param migrating Receives the result of each attempt, before its commit. */
async function connectAndMigrate(
  url: string,
  roles: boolean,
  migrating: (result: Migrated) => void,
): Promise<void> {
  const client = await new Route(url, CONNECT_TIMEOUT_MS).open({
    application_name: 'store-orders migrate',
  });
  try {
    for (let tries = 1; ; tries++) {
      try {
        migrating(await migrateOnce(client, url, roles));
        return await commit(client);
      } catch (error) {
        // On a lost connection, this fails, too.
        await client.query('ROLLBACK').catch(() => undefined);
        if (tries === MAX_TRIES || !isRace(error)) throw error;
        await setTimeout(tries * 100);
      }
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function commit(client: pg.Client): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    throw isRefusal(error) ? error : new Unanswered(error as Error);
  }
}

/** Migrates in a transaction, which the caller commits. */
async function migrateOnce(client: pg.Client, url: string, roles: boolean): Promise<Migrated> {
  await client.query(`
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SET LOCAL lock_timeout = 0;
    SET LOCAL statement_timeout = 0;
    SET LOCAL synchronous_commit = on;
    SET LOCAL search_path = pg_catalog;
    SET LOCAL quote_all_identifiers = off;
    SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
  `);
  const from = await versionIn(client);
  if (from === undefined) await requireServableBySome(queryable(client), url);
  if (roles) await makeRoles(client);
  if (from === undefined) await client.query('CREATE SCHEMA store_orders');
  else refuseNewerSchema('The database', from, SCHEMA_VERSION);
  for (const migration of MIGRATIONS.slice(from ?? 0)) await client.query(migration);
  await client.query(`UPDATE store_orders.store SET schema_version = ${SCHEMA_VERSION}`);
  const restored = roles ? await restoreGuards(queryable(client)) : [];
  if (roles) await giveAway(client);
  if (await hasRole(client, APP_ROLE)) await client.query(GRANTS);
  return { from: from ?? 0, to: SCHEMA_VERSION, restored };
}

function queryable(client: pg.Client) {
  return {
    async query<Row extends readonly unknown[]>({ text }: Statement, values?: readonly unknown[]) {
      const asked: pg.QueryArrayConfig = { text, values: [...(values ?? [])], rowMode: 'array' };
      return (await client.query(asked)).rows as unknown as Row[];
    },
    run: (text: string) => client.query(text),
  };
}

/**
 * Returns the version of the schema in the database; `undefined` if there is none. Throws
 * {@link UserError} if the schema belongs to another program.
 */
async function versionIn(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ schema: string | null; store: string | null }>(
    `SELECT to_regnamespace('store_orders')::text AS schema,
            to_regclass('store_orders.store')::text AS store`,
  );
  if (rows[0]?.schema == null) return undefined;
  if (rows[0].store === null) {
    throw new UserError('The schema store_orders is of another program. Nothing was changed.');
  }
  const versions = await client.query<[string, number]>({
    text: 'SELECT id, schema_version FROM store_orders.store',
    rowMode: 'array',
  });
  return requireOneStore(versions.rows)[1];
}

// NOLOGIN: the roles are groups, of which the users that log in are made members. Since PostgreSQL 16,
// who creates a role without being a superuser is a member that may only administer it: such a member
// may neither give tables to the role nor use them afterwards.
async function makeRoles(client: pg.Client): Promise<void> {
  for (const role of [OWNER_ROLE, APP_ROLE]) {
    if (!(await hasRole(client, role))) await client.query(`CREATE ROLE ${role} NOLOGIN`);
  }
  const { rows } = await client.query<{ isOld: boolean }>(
    `SELECT current_setting('server_version_num')::integer < 160000 AS "isOld"`,
  );
  const [kinds, options] = rows[0]?.isOld
    ? ["'MEMBER'", '']
    : ["'SET', 'USAGE'", ' WITH SET TRUE, INHERIT TRUE'];
  const { rowCount } = await client.query(
    `SELECT FROM unnest(ARRAY[${kinds}]) AS kind
      WHERE NOT pg_has_role(current_user, '${OWNER_ROLE}', kind)`,
  );
  if (rowCount !== 0) await client.query(`GRANT ${OWNER_ROLE} TO CURRENT_USER${options}`);
}

/** Makes the owner role own everything, so that each of its members can make the next migration. */
async function giveAway(client: pg.Client): Promise<void> {
  await client.query(`
    DO $$
    DECLARE
      each text;
    BEGIN
      EXECUTE format('GRANT CREATE ON DATABASE %I TO ${OWNER_ROLE}', current_database());
      ALTER SCHEMA store_orders OWNER TO ${OWNER_ROLE};
      FOR each IN SELECT oid::regclass FROM pg_class
          WHERE relnamespace = 'store_orders'::regnamespace AND relkind = 'r' LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO ${OWNER_ROLE}', each);
      END LOOP;
      FOR each IN SELECT oid::regprocedure FROM pg_proc
          WHERE pronamespace = 'store_orders'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO ${OWNER_ROLE}', each);
      END LOOP;
    END $$`);
}

async function hasRole(client: pg.Client, role: string): Promise<boolean> {
  return (await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role])).rowCount === 1;
}

// Roles belong to the whole server, the advisory lock to one of its databases: a migration of
// another one may have created the same role meanwhile. Of two that grant rights at once, one
// fails.
function isRace(error: unknown): boolean {
  const { code = '', message } = error as pg.DatabaseError;
  return (
    ['42710', '23505', '40P01'].includes(code) || /concurrently (?:updated|deleted)/.test(message)
  );
}
