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
