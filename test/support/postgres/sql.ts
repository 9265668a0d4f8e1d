import pg from 'pg';

/** How often it is tried to copy a template, which nobody else may use at that moment. */
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
        // object_in_use: somebody else is copying the template just now.
        if ((error as pg.DatabaseError).code !== '55006' || tries === TRIES) throw error;
      }
    }
  } finally {
    await client.end();
  }
}
