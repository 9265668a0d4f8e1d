import { differences } from '../definitions.ts';
import type { Queryable, Statement } from './database.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * What makes the log append-only is part of its schema, and whoever owns the tables can take it away
 * or switch it off. It is held against the migrations that have made it.
 */

const DEFINITIONS: Statement = {
  name: 'definitions',
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
    SELECT 'index ' || relname, CASE WHEN indisprimary AND indisvalid THEN 'primary key' ELSE '' END, true
      FROM pg_index JOIN relations ON indexrelid = relations.oid
    ORDER BY 1`,
};
type Row = [name: string, definition: string, isEnabled: boolean];

const TRIGGERS = /CREATE TRIGGER (\w+)\s[^;]+/g;
const FUNCTIONS = /CREATE FUNCTION store_orders\.(\w+)\(\)[^$']+(?:\$\$([\s\S]*?)\$\$|'([^']*)')/g;
const TABLES = /CREATE TABLE store_orders\.(\w+) \([\s\S]+?\n {2}\)/g;

/** How the schema differs from what its version says it is, in plain words. */
export async function flawsInSchema(db: Queryable, version: number): Promise<string[]> {
  const { due, there, disabled } = await compare(db, version);
  return [
    ...differences(due, there),
    ...disabled.map((name) => `the ${name} of the database is disabled`),
  ];
}

/** Those flaws with which a store must not be written. What somebody has added to read by is none. */
export async function gravestFlaws(db: Queryable, version: number): Promise<string[]> {
  const flaws = await flawsInSchema(db, version);
  return flaws.filter(
    (flaw) => !/^the (?:table|view|index|function) .* is none of this/.test(flaw),
  );
}

/**
 * Puts triggers and functions back that are missing, disabled or altered, in the transaction that is
 * open. Returns what was wrong with them, in plain words.
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
  const rows = await db.query<Row>(DEFINITIONS);
  const there = rows.map(([name, definition]): [string, string] => {
    return [name, name.startsWith('trigger') ? normal(definition) : definition];
  });
  const disabled = rows.filter(([, , isEnabled]) => !isEnabled).map(([name]) => name);
  return { due: dueIn(migrationsTo(version)), there: new Map(there), disabled };
}

function migrationsTo(version: number): string {
  return MIGRATIONS.slice(0, version).join('\n');
}

/** What makes each function and each trigger anew, functions first. */
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

/** A trigger's definition in one form: PostgreSQL tells it in an order and with brackets of its own. */
function normal(definition: string): string {
  return definition
    .toLowerCase()
    .replaceAll(/[()\s]+/g, ' ')
    .replace(/(?<=(?:before|after) ).+?(?= on )/, (events) => events.split(' or ').sort().join())
    .trim();
}
