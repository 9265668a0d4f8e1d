/** The checks of a database before it is served: its settings, its guards, and the rights of its user. */

import { UserError } from '../../../app/lifecycle/user-error.ts';
import { shownAddress } from '../../settings/postgres-address.ts';
import type { Queryable, Statement } from '../connection/connection.ts';
import { APP_ROLE, CALLED_FUNCTION, RIGHTS } from '../rights.ts';
import { gravestFlaws, NOT_GUARDED } from '../schema-check.ts';
import { refusedWrites } from './writes.ts';

/** A setting of a server, a database or a user, with its permitted values. */
interface Setting {
  readonly name: string;
  readonly must: readonly string[];
  /** The consequence and the remedy: the text after "NAME=VALUE: ". */
  readonly otherwise: string;
  /** True if a reload can change it under open sessions, to the harm of what is stored. */
  readonly isWatched?: true;
}

/**
 * The settings that a start checks, and a migration that makes the schema. Those that a session can
 * set for itself are in session.ts, which also checks `fsync` of each new connection.
 */
const SETTINGS: readonly Setting[] = [
  {
    name: 'fsync',
    isWatched: true,
    must: ['on'],
    otherwise: 'a power cut loses what was acknowledged. Set it to on',
  },
  {
    name: 'full_page_writes',
    isWatched: true,
    must: ['on'],
    otherwise: 'a power cut leaves pages that are half written. Set it to on',
  },
  {
    name: 'server_encoding',
    must: ['UTF8'],
    otherwise: "names may have any character. Make the database with ENCODING 'UTF8'",
  },
  {
    name: 'session_replication_role',
    must: ['origin', 'local'],
    otherwise: `${NOT_GUARDED}. Set it to origin`,
  },
  {
    name: 'default_transaction_read_only',
    must: ['off'],
    otherwise: 'commands could not be recorded. Set it to off',
  },
  {
    name: 'zero_damaged_pages',
    isWatched: true,
    must: ['off'],
    otherwise: 'damaged pages are silently emptied. Set it to off',
  },
  {
    name: 'ignore_checksum_failure',
    isWatched: true,
    must: ['off'],
    otherwise: 'damaged pages are read as if they were whole. Set it to off',
  },
  {
    name: 'data_sync_retry',
    must: ['off'],
    otherwise: 'data that a disk failed to write is taken for written. Set it to off',
  },
];

// The values at the beginning of the session, which has changed some of them since.
const SETTINGS_THERE: Statement = {
  name: 'settings',
  text: `SELECT name, reset_val FROM pg_settings WHERE name = ANY($1::text[])
           AND ($2 OR source NOT IN ('user', 'database user', 'client'))`,
};

const SETTINGS_NOW: Statement = {
  name: 'settings_now',
  text: 'SELECT name, current_setting(name) FROM unnest($1::text[]) AS name',
};

const RIGHTS_MISSING: Statement = {
  name: 'rights_missing',
  text: `
    SELECT current_user::text, lower(right_to) || ' ' || table_name
      FROM unnest($1::text[], $2::text[], $3::text[]) AS due (right_to, table_name, column_name)
     WHERE NOT CASE WHEN column_name = ''
       THEN has_table_privilege('store_orders.' || table_name, right_to)
       ELSE has_column_privilege('store_orders.' || table_name, column_name, right_to) END
    UNION
    SELECT current_user::text, 'select ' || relname FROM pg_class
     WHERE relnamespace = 'store_orders'::regnamespace AND relkind = 'r'
       AND NOT has_table_privilege(oid, 'SELECT')
    UNION
    SELECT current_user::text, 'execute ' || proname FROM pg_proc
     WHERE pronamespace = 'store_orders'::regnamespace AND proname = '${CALLED_FUNCTION}'
       AND NOT has_function_privilege(oid, 'EXECUTE')
     ORDER BY 2`,
};

/**
 * Throws {@link UserError} if a store cannot be served: its user lacks privileges, its triggers
 * are missing or disabled, or a setting is wrong. The message has a line for each flaw.
 */
export async function requireServable(db: Queryable, url: string): Promise<void> {
  const wrong = [
    ...(await wrongSettings(db, true)),
    ...(await missingRights(db)),
    ...(await wrongGuards(db)),
    ...((await refusedWrites(db)) ?? []),
  ];
  refuse(wrong, url);
}

/**
 * Throws {@link UserError} if no user could serve a store in a database, because of a setting of the
 * server or of the database. The settings of the user who migrates are not those of the one who serves.
 */
export async function requireServableBySome(db: Queryable, url: string): Promise<void> {
  refuse(await wrongSettings(db, false), url);
}

/**
 * Throws {@link UserError} if the schema was altered in a way with which a store must not be used.
 * @param kind The flaws that count; absent: all.
 */
export async function requireGuards(db: Queryable, url: string, kind = /^/): Promise<void> {
  refuse(
    (await wrongGuards(db)).filter((flaw) => kind.test(flaw)),
    url,
  );
}

function refuse(wrong: readonly string[], url: string): void {
  if (wrong.length > 0)
    throw new UserError(wrong.map((line) => `${shownAddress(url)}: ${line}.`).join('\n'));
}

/** @param ofUser True if the settings of this session's user count, too. */
async function wrongSettings(db: Queryable, ofUser: boolean): Promise<string[]> {
  const names = SETTINGS.map(({ name }) => name);
  return wrongIn(await db.query<[string, string]>(SETTINGS_THERE, [names, ofUser]));
}

/**
 * Returns a clause for each setting that has become wrong while the store is served: a reload of the
 * server's configuration reaches open sessions.
 */
export async function unsafeSettings(db: Queryable): Promise<string[]> {
  const names = SETTINGS.filter(({ isWatched }) => isWatched).map(({ name }) => name);
  return wrongIn(await db.query<[string, string]>(SETTINGS_NOW, [names]));
}

function wrongIn(settings: readonly [name: string, value: string][]): string[] {
  const there = new Map(settings);
  return SETTINGS.flatMap(({ name, must, otherwise }) => {
    const value = there.get(name);
    return value === undefined || must.includes(value) ? [] : [`${name}=${value}: ${otherwise}`];
  });
}

/** Returns a sentence that names the rights that the user lacks; none if there are all. */
export async function missingRights(db: Queryable): Promise<string[]> {
  const due = RIGHTS.flatMap(({ to, table, columns = [''] }) =>
    columns.map((column) => [to, table, column] as const),
  );
  const columns = [0, 1, 2].map((index) => due.map((right) => right[index]));
  const missing = await db.query<[user: string, right: string]>(RIGHTS_MISSING, columns);
  const [user] = missing[0] ?? [];
  if (user === undefined) return [];
  const rights = missing.map(([, right]) => right).join(', ');
  return [
    `the user ${user} lacks rights (${rights}). GRANT ${APP_ROLE} TO ${user}, and run ` +
      '`store-orders migrate`',
  ];
}

/** The flaws that a migration mends. */
const RESTORED = /^the (?:trigger|function) .* (?:another one|not there|disabled)$/;

async function wrongGuards(db: Queryable): Promise<string[]> {
  const flaws = await gravestFlaws(db);
  return flaws.map((flaw) => {
    const remedy = RESTORED.test(flaw)
      ? 'Run `store-orders migrate`, and then'
      : 'Undo that, and run';
    return `${flaw}. ${remedy} \`store-orders verify\``;
  });
}
