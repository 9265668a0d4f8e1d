/** The roles of a store in PostgreSQL, and the rights of the one that serves. */

/** The role that owns the tables: its members can migrate. */
export const OWNER_ROLE = 'store_orders_owner';
/** The role whose members can serve, and cannot change recorded events. */
export const APP_ROLE = 'store_orders_app';

/**
 * The rights of the application role: to read everything, append, move the head, revoke a key or
 * limit it, and delete the oldest refusals. They are granted anew after each migration.
 */
export const RIGHTS: readonly Right[] = [
  { to: 'INSERT', table: 'events' },
  { to: 'INSERT', table: 'tree_nodes' },
  { to: 'INSERT', table: 'kept_outcomes' },
  { to: 'INSERT', table: 'event_traces' },
  { to: 'INSERT', table: 'api_keys' },
  { to: 'INSERT', table: 'key_changes' },
  { to: 'INSERT', table: 'refusals' },
  { to: 'INSERT', table: 'signing_keys' },
  { to: 'INSERT', table: 'epochs' },
  { to: 'DELETE', table: 'refusals' },
  { to: 'UPDATE', table: 'tree', columns: ['edge'] },
  { to: 'UPDATE', table: 'store', columns: ['home', 'kept_outcomes'] },
  { to: 'UPDATE', table: 'api_keys', columns: ['revoked_at', 'checksum'] },
  { to: 'UPDATE', table: 'api_keys', columns: ['limits', 'limits_checksum'] },
];

interface Right {
  readonly to: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly table: string;
  /** The columns of the right; absent: all. */
  readonly columns?: readonly string[];
}

/**
 * The function that the application role calls, also in a trigger. Others are run by triggers only, for
 * which no right is needed. Default privileges of a database may keep functions from everybody.
 */
export const CALLED_FUNCTION = 'kept_refusals';

export const GRANTS = `
  GRANT USAGE ON SCHEMA store_orders TO ${APP_ROLE};
  GRANT EXECUTE ON FUNCTION store_orders.${CALLED_FUNCTION}() TO ${APP_ROLE};
  GRANT SELECT ON ALL TABLES IN SCHEMA store_orders TO ${APP_ROLE};
${RIGHTS.map(({ to, table, columns }) => {
  const only = columns === undefined ? '' : ` (${columns.join(', ')})`;
  return `  GRANT ${to}${only} ON store_orders.${table} TO ${APP_ROLE};\n`;
}).join('')}`;
