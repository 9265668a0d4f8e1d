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
    SELECT 'table ' || relname, '', true FROM relations WHERE relkind = 'r'
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
  const rows = await db.query<Row>(DEFINITIONS);
  const there = rows.map(([name, definition]): [string, string] => {
    return [name, name.startsWith('trigger') ? normal(definition) : definition];
  });
  const disabled = rows.filter(([, , isEnabled]) => !isEnabled);
  return [
    ...differences(dueIn(MIGRATIONS.slice(0, version).join('\n')), new Map(there)),
    ...disabled.map(([name]) => `the ${name} of the database is disabled`),
  ];
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
