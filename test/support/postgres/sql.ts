import pg from 'pg';

/** The attempts to copy a template, which fails while another session uses it. */
const TRIES = 50;

/** Runs SQL, as the superuser unless the address names another. */
export async function sql<Row extends object = Record<string, unknown>>(
  url: string,
  query: string,
): Promise<readonly Row[]> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  await client.connect();
  try {
    for (let tries = 1; ; tries++) {
      try {
        return (await client.query<Row>(query)).rows;
      } catch (error) {
        // object_in_use: another session is copying the template.
        if ((error as pg.DatabaseError).code !== '55006' || tries === TRIES) throw error;
      }
    }
  } finally {
    await client.end();
  }
}

/** Changes rows that the service never changes, past the triggers that prevent it. */
export async function tamper(url: string, statements: string): Promise<void> {
  await sql(
    url,
    `SET session_replication_role = replica; SET search_path = store_orders; ${statements}`,
  );
}

/** Ends all other sessions of a database. */
export async function endOtherSessions(url: string): Promise<void> {
  await sql(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

/** Takes the last events out of a log, as a failover to a standby that was behind does. */
export async function lose(
  url: string,
  before: () => Promise<unknown>,
  count: number,
): Promise<void> {
  const edge = await sql<{ edge: string }>(
    url,
    `SELECT encode(edge, 'hex') AS edge FROM store_orders.tree`,
  );
  await before();
  await tamper(
    url,
    `DELETE FROM events WHERE position > (SELECT max(position) FROM events) - ${count};
     UPDATE tree SET edge = '\\x${edge[0]?.edge}'`,
  );
}
