/**
 * The check of the schema in PostgreSQL against its migrations: the triggers that make the log
 * append-only are a part of it, and the owner of the tables can drop or disable them.
 */

import { differences } from '../checking/stored-check.ts';
import type { Queryable, Statement } from './connection/connection.ts';
import { MIGRATIONS } from './schema.ts';

const SCHEMA_THERE: Statement = {
  name: 'schema_there',
  text: `
    WITH relations AS (
      SELECT * FROM pg_class WHERE relnamespace = 'store_orders'::regnamespace
    )
    SELECT 'trigger ' || tgname, pg_get_triggerdef(pg_trigger.oid), tgenabled IN ('O', 'A')
      FROM pg_trigger JOIN relations ON tgrelid = relations.oid WHERE NOT tgisinternal
    UNION ALL
    SELECT 'function ' || proname, prosrc, true
      FROM pg_proc WHERE pronamespace = 'store_orders'::regnamespace
    UNION ALL
    SELECT 'rule ' || rulename, '', true
      FROM pg_rewrite JOIN relations ON ev_class = relations.oid WHERE relkind = 'r'
    UNION ALL
    -- An unlogged table is emptied by a crash, row security hides rows, and heirs add some.
    SELECT 'table ' || relname,
           concat(CASE WHEN relpersistence <> 'p' THEN 'unlogged ' END,
                  CASE WHEN relrowsecurity THEN 'row security ' END,
                  CASE WHEN EXISTS (SELECT FROM pg_inherits WHERE inhparent = relations.oid)
                    THEN 'inherited ' END), true
      FROM relations WHERE relkind = 'r'
    UNION ALL
    SELECT 'view ' || relname, '', true FROM relations WHERE relkind IN ('v', 'm')
    UNION ALL
    SELECT 'index ' || relname,
           CASE WHEN indisprimary AND indisvalid THEN 'primary key' ELSE '' END, true
      FROM pg_index JOIN relations ON indexrelid = relations.oid
    ORDER BY 1`,
};
type Row = [name: string, definition: string, isEnabled: boolean];

const TRIGGERS = /CREATE TRIGGER (\w+)\s[^;]+/g;
const FUNCTIONS = /CREATE FUNCTION store_orders\.(\w+)\(\)[^$']+(?:\$\$([\s\S]*?)\$\$|'([^']*)')/g;
const TABLES = /CREATE TABLE store_orders\.(\w+) \([\s\S]+?\n {2}\)/g;

/** Returns the differences between the schema and that of its version, each as a sentence. */
export async function flawsInSchema(db: Queryable, version: number): Promise<string[]> {
  const { due, there, disabled } = await compare(db, version);
  return [
    ...differences(due, there),
    ...disabled.map((name) => `the ${name} of the database is disabled`),
  ];
}

/** Returns the flaws with which a store must not be written. An added view or index is not one. */
export async function gravestFlaws(db: Queryable, version: number): Promise<string[]> {
  const flaws = await flawsInSchema(db, version);
  return flaws.filter(
    (flaw) => !/^the (?:table|view|index|function) .* is none of this/.test(flaw),
  );
}

/**
 * Restores triggers and functions that are missing, disabled or altered, in the transaction that is
 * open. Returns the flaws that are mended by it, each as a sentence.
 */
export async function restoreGuards(
  db: Queryable & { run(text: string): Promise<unknown> },
  version: number,
): Promise<string[]> {
  const before = await flawsInSchema(db, version);
  const { due, there, disabled } = await compare(db, version);
  const makers = makersIn(migrationsTo(version));
  for (const [name, maker] of makers) {
    if (there.get(name) === due.get(name) && !disabled.includes(name)) continue;
    await db.run(maker);
  }
  const after = await flawsInSchema(db, version);
  return before.filter((flaw) => !after.includes(flaw));
}

async function compare(db: Queryable, version: number) {
  const rows = await db.query<Row>(SCHEMA_THERE);
  const there = rows.map(([name, definition]): [string, string] => {
    return [name, name.startsWith('trigger') ? normal(definition) : definition];
  });
  const disabled = rows.filter(([, , isEnabled]) => !isEnabled).map(([name]) => name);
  return { due: dueIn(migrationsTo(version)), there: new Map(there), disabled };
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

function dueIn(migrations: string): Map<string, string> {
  const tables = [...migrations.matchAll(TABLES)];
  const keyed = tables.filter(([text]) => text.includes('PRIMARY KEY'));
  return new Map([
    ...tables.map(([, name]): [string, string] => [`table ${name}`, '']),
    ...keyed.map(([, name]): [string, string] => [`index ${name}_pkey`, 'primary key']),
    ...[...migrations.matchAll(FUNCTIONS)].map(
      ([, name, body = '', text = body]): [string, string] => [`function ${name}`, text],
    ),
    ...[...migrations.matchAll(TRIGGERS)].map(([text, name]): [string, string] => [
      `trigger ${name}`,
      normal(text),
    ]),
  ]);
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
