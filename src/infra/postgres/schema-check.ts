/**
 * The check of the schema in PostgreSQL against its migrations: the triggers that make the log
 * append-only are a part of it, and the owner of the tables can drop or disable them.
 */

import { type Definition, differences } from '../checking/stored-check.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { MIGRATIONS, SCHEMA_VERSION } from './schema.ts';
import { TABLES } from './schema-tables.ts';

/** The names of all tables of the schema. */
export const OWN_TABLES = [...TABLES.join('\n').matchAll(/^ +table (\w+)/gm)].map(
  ([, name]) => name as string,
);

/** All objects of the schema. The texts are the same in each version of PostgreSQL. */
const SCHEMA_THERE: Statement = {
  name: 'schema_there',
  text: `
    WITH relations AS (
      SELECT * FROM pg_class WHERE relnamespace = 'store_orders'::regnamespace
    ), own AS (
      SELECT * FROM relations WHERE relkind IN ('r', 'p', 'f') AND relname IN (${OWN_TABLES.map((name) => `'${name}'`)})
    )
    SELECT 'trigger ' || tgname, pg_get_triggerdef(pg_trigger.oid), tgenabled IN ('O', 'A')
      FROM pg_trigger JOIN relations ON tgrelid = relations.oid
     WHERE NOT tgisinternal OR tgconstraint = 0
    UNION ALL
    SELECT concat('function ', proname,
                  '(' || nullif(pg_get_function_identity_arguments(oid), '') || ')'),
           CASE prokind WHEN 'a' THEN 'aggregate' ELSE pg_get_functiondef(oid) END, true
      FROM pg_proc WHERE pronamespace = 'store_orders'::regnamespace
    UNION ALL
    SELECT 'rule ' || rulename, '', true
      FROM pg_rewrite JOIN relations ON ev_class = relations.oid WHERE relkind NOT IN ('v', 'm')
    UNION ALL
    -- An unlogged table is emptied by a crash, row security hides rows, and heirs add some. Of a
    -- table that inherits, rows are changed through the other table without its triggers.
    SELECT 'table ' || relname,
           concat(CASE relkind WHEN 'p' THEN 'partitioned ' WHEN 'f' THEN 'foreign ' END,
                  CASE WHEN relpersistence <> 'p' THEN 'unlogged ' END,
                  CASE WHEN relrowsecurity THEN 'row security ' END,
                  CASE WHEN EXISTS (SELECT FROM pg_inherits
                                     WHERE relations.oid IN (inhparent, inhrelid))
                    THEN 'inherited ' END), true
      FROM relations WHERE relkind IN ('r', 'p', 'f')
    UNION ALL
    SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE 'view ' END || relname, '', true
      FROM relations WHERE relkind IN ('v', 'm', 'S')
    UNION ALL
    SELECT concat('column ', relname, '.', attname),
           concat(format_type(atttypid, atttypmod),
                  ' COLLATE ' || nullif(nullif(attcollation, 0), 'pg_catalog."default"'::regcollation)
                    ::regcollation,
                  CASE WHEN attnotnull THEN ' NOT NULL' END,
                  CASE attidentity WHEN 'a' THEN ' IDENTITY' WHEN 'd' THEN ' IDENTITY BY DEFAULT' END,
                  CASE WHEN attgenerated <> '' THEN ' GENERATED' END,
                  ' DEFAULT ' || pg_get_expr(adbin, adrelid)), true
      FROM pg_attribute JOIN own ON attrelid = own.oid
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT 'constraint ' || conname, pg_get_constraintdef(pg_constraint.oid), true
      FROM pg_constraint JOIN own ON conrelid = own.oid WHERE contype IN ('c', 'f')
    UNION ALL
    SELECT 'index ' || relname,
           CASE WHEN indisvalid AND indisready
             THEN coalesce(pg_get_constraintdef(pg_constraint.oid), '') ELSE 'invalid' END, true
      FROM pg_index JOIN relations ON indexrelid = relations.oid
      LEFT JOIN pg_constraint ON conindid = indexrelid AND contype IN ('p', 'u', 'x')
    ORDER BY 1, 2`,
};
type Row = [name: string, definition: string, isEnabled: boolean];

/** Objects that change no row by being there. */
const HARMLESS = ['table', 'column', 'view', 'sequence', 'index', 'function'];
/** Objects that a migration may add. A rule, which rewrites statements, is none of them. */
const MIGRATED = [...HARMLESS, 'trigger', 'constraint'];

const VERSION_THERE: Statement = {
  name: 'version_there',
  text: 'SELECT schema_version FROM store_orders.store',
};

// Set for the database or the user, it turns the triggers off, and changes nothing in the schema.
const ROLE_THERE: Statement = {
  name: 'role_there',
  text: `SELECT reset_val FROM pg_settings WHERE name = 'session_replication_role'`,
};

const TRIGGERS = /CREATE TRIGGER (\w+)\s[^;]+/g;
const FUNCTIONS =
  /CREATE (?:OR REPLACE )?FUNCTION store_orders\.(\w+)\(\) RETURNS (\w+) LANGUAGE (\w+)([^$']+)(?:\$\$([\s\S]*?)\$\$|'([^']*)')/g;

/** Returns the flaws of a store's schema, and of the sessions that use it, each as a clause. */
export async function flawsInSchema(db: Queryable, version: number): Promise<string[]> {
  const [[role] = ['']] = await db.query<[string]>(ROLE_THERE);
  return [
    ...(await flawsOfObjects(db, version)),
    ...(role === 'replica' ? [`session_replication_role=${role}: ${NOT_GUARDED}`] : []),
  ];
}

/** The consequence of `session_replication_role=replica`. */
export const NOT_GUARDED = 'the triggers that keep the log append-only are not run';

/** Returns the flaws with which a store must not be written. A mere addition is not one. */
export async function gravestFlaws(db: Queryable): Promise<string[]> {
  return (await flawsOfObjects(db, SCHEMA_VERSION)).filter((flaw) => !isAddition(flaw, HARMLESS));
}

/**
 * Restores triggers and functions that are missing, disabled or altered, in the transaction that is
 * open. Returns the flaws that are mended by it, each as a sentence.
 */
export async function restoreGuards(
  db: Queryable & { run(text: string): Promise<unknown> },
): Promise<string[]> {
  const before = await flawsOfObjects(db, SCHEMA_VERSION);
  const { due, there, disabled } = await compare(db, SCHEMA_VERSION);
  const isThere = ([name, definition]: Definition) => {
    return there.some(([other, text]) => other === name && text === definition);
  };
  const absent = due.filter((object) => !isThere(object)).map(([name]) => name);
  for (const [name, maker] of makersIn(migrationsTo(SCHEMA_VERSION))) {
    if (absent.includes(name) || disabled.includes(name)) await db.run(maker);
  }
  const after = await flawsOfObjects(db, SCHEMA_VERSION);
  return before.filter((flaw) => !after.includes(flaw));
}

/**
 * Returns the flaws of the schema's objects. In a store that a newer version has migrated, while an
 * instance of this one was serving it, the additions are those of the migration.
 */
async function flawsOfObjects(db: Queryable, version: number): Promise<string[]> {
  const { due, there, disabled } = await compare(db, version);
  const flaws = [
    ...differences(due, there).map((flaw) => withState(flaw, there)),
    ...disabled.map((name) => `the ${name} of the database is disabled`),
  ];
  const isKnown = there.some(([name]) => name === 'column store.schema_version');
  if (!isKnown || !flaws.some((flaw) => isAddition(flaw, MIGRATED))) return flaws;
  const [[stored] = [version]] = await db.query<[number]>(VERSION_THERE);
  return stored > version ? flaws.filter((flaw) => !isAddition(flaw, MIGRATED)) : flaws;
}

/** Returns a flaw; one of a table with the state that makes it another one, such as row security. */
function withState(flaw: string, there: readonly Definition[]): string {
  const [, table] = /^the (table \w+) .* another one$/.exec(flaw) ?? [];
  const [, state] = there.find(([name]) => name === table) ?? [];
  return state == null ? flaw : `${flaw} (${state.trim()})`;
}

function isAddition(flaw: string, kinds: readonly string[]): boolean {
  const [, kind = ''] = /^the (\w+) .* is none of this/.exec(flaw) ?? [];
  return kinds.includes(kind);
}

async function compare(db: Queryable, version: number) {
  const rows = await db.query<Row>(SCHEMA_THERE);
  const there = rows.map(([name, definition]): Definition => {
    return [name, name.startsWith('trigger') ? normal(definition) : definition];
  });
  const disabled = rows.filter(([, , isEnabled]) => !isEnabled).map(([name]) => name);
  return { due: dueIn(version), there, disabled };
}

function migrationsTo(version: number): string {
  return MIGRATIONS.slice(0, version).join('\n');
}

/** Returns the statements that recreate each function and each trigger, functions first. */
function makersIn(migrations: string): Map<string, string> {
  const functions = [...migrations.matchAll(FUNCTIONS)].map(([text, name]): [string, string] => {
    return [`function ${name}`, text.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')];
  });
  const triggers = [...migrations.matchAll(TRIGGERS)].map(([text, name]): [string, string] => {
    const [, table] = / ON (store_orders\.\w+)/.exec(text) ?? [];
    return [`trigger ${name}`, `DROP TRIGGER IF EXISTS ${name} ON ${table}; ${text}`];
  });
  return new Map([...functions, ...triggers]);
}

function dueIn(version: number): Definition[] {
  const migrations = migrationsTo(version);
  const lines = TABLES.slice(0, version)
    .join('\n')
    .matchAll(/^ +(\w+ [\w.]+)(?: (.+))?$/gm);
  return [
    ...[...lines].map(([, name = '', definition = '']): Definition => [name, definition]),
    // Of a function that a later migration replaces, the last text counts.
    ...new Map([...migrations.matchAll(FUNCTIONS)].map(functionIn)),
    ...[...migrations.matchAll(TRIGGERS)].map(([text, name]): Definition => {
      return [`trigger ${name}`, normal(text)];
    }),
  ];
}

/** Returns a function as PostgreSQL describes it. */
function functionIn([, name, returns, language, more = '', block, text]: string[]): Definition {
  const immutable = more.includes('IMMUTABLE') ? ' IMMUTABLE\n' : '';
  return [
    `function ${name}`,
    `CREATE OR REPLACE FUNCTION store_orders.${name}()\n RETURNS ${returns}\n` +
      ` LANGUAGE ${language}\n${immutable}AS $function$${block ?? text}$function$\n`,
  ];
}

/**
 * Returns a trigger's definition in one form: PostgreSQL changes the order of events and brackets.
 */
function normal(definition: string): string {
  return definition
    .toLowerCase()
    .replaceAll(/[()\s]+/g, ' ')
    .replace(/(?<=(?:before|after) ).+?(?= on )/, (events) => events.split(' or ').sort().join())
    .trim();
}
