/** A store that is served is found to be, whichever of its sessions an instance has left. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { openPostgresOriginal } from '../../../src/infra/postgres/copy.ts';
import { acceptBreak, markCopy } from '../../../src/infra/postgres/epochs-table.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { fenceOffServers } from '../../../src/infra/postgres/start/servers.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { takeOver } from '../../../src/infra/postgres/take-over.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { endOtherSessions, sql } from '../../support/postgres/sql.ts';
import { watcher } from '../../support/watcher.ts';

/** Longer than the interval between two looks at the head. */
const WITHIN = { timeout: 20_000, interval: 20 };
const SERVED = 'Instances are running on the store';

/** Opens a store as a user with some settings, and returns the messages of its watcher. */
async function served(set = '') {
  const url = await newDatabase();
  const user = `user_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app`);
  if (set !== '') await sql(url, `ALTER ROLE ${user} ${set}`);
  onTestFinished(async () => void (await sql(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`)));
  const told: string[] = [];
  const store = await openPostgresStore(
    url.replace('postgres@', `${user}@`),
    watcher({ noticed: (message) => void told.push(message) }),
  );
  onTestFinished(() => store.close());
  const sessions = (more = '') =>
    sql<{ pid: number; name: string }>(
      url,
      `SELECT pid, application_name AS name FROM pg_stat_activity
        WHERE usename = '${user}' ${more} ORDER BY pid`,
    );
  const names = async () => (await sessions()).map(({ name }) => name);
  // The one that listens and the one for pings.
  await expect.poll(names, WITHIN).toContain('store-orders server');
  await expect.poll(names, WITHIN).toContain('store-orders pulse');
  return { url, user, store, told, sessions };
}

async function expectFoundServed(url: string): Promise<void> {
  await expect(openPostgresOriginal(url)).rejects.toThrow(SERVED);
  const db = new Database(url);
  onTestFinished(() => db.close());
  await expect(markCopy(db)).rejects.toThrow(SERVED);
  await expect(acceptBreak(db, 'x', undefined, () => {})).rejects.toThrow(SERVED);
  await expect(takeOver(db, () => expect.fail())).rejects.toThrow(SERVED);
}

describe('an instance is found to run on a store', () => {
  it('without the session that listens and the one for pings; the loss is reported', async () => {
    const { url, user, told, sessions } = await served();
    await sql(url, `ALTER ROLE ${user} CONNECTION LIMIT 1`);
    const beside = `AND application_name <> 'store-orders'`;
    await sql(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}' ${beside}`,
    );
    await expect.poll(() => sessions(beside), WITHIN).toStrictEqual([]);
    await expectFoundServed(url);
    const db = new Database(url.replace('postgres@', `${user}@`));
    onTestFinished(() => db.close());
    // The server has no TLS, which is tried first, and is not the reason.
    for (let tries = 1; tries <= 2; tries++)
      await expect(db.listener(() => {})).rejects.toThrow(/^too many connections for role/);
    await expect
      .poll(() => told, WITHIN)
      .toContainEqual(expect.stringMatching(/^notifications .* are not received/));
    await sql(url, `ALTER ROLE ${user} CONNECTION LIMIT -1`);
    await expect
      .poll(() => told, WITHIN)
      .toContain('notifications of the database are received again');
  });

  it('with a user whose idle sessions the server would end', async () => {
    const { url, sessions } = await served(`SET idle_session_timeout = '300ms'`);
    const beside = `AND application_name <> 'store-orders'`;
    const before = await sessions(beside);
    await sql(url, 'SELECT pg_sleep(1)');
    expect(await sessions(beside)).toStrictEqual(before);
    await expectFoundServed(url);
  });

  it('not any more, once it has ended', async () => {
    const { url, store, sessions } = await served();
    await store.close();
    await expect.poll(() => sessions(), WITHIN).toStrictEqual([]);
    await (await openPostgresOriginal(url)).close();
  });
});

describe('an instance that has lost all of its sessions', () => {
  it('is refused on the next one, if the store was handed over meanwhile', async () => {
    const url = await newDatabase();
    const log = new PostgresEventLog(new Database(url), { epoch: 0 });
    onTestFinished(() => log.close());
    await log.enter();
    await endOtherSessions(url);
    const db = new Database(url);
    onTestFinished(() => db.close());
    await markCopy(db);
    await expect
      .poll(() => log.head().catch(({ message }) => message), WITHIN)
      .toMatch(/it was moved to another place$/);
  });

  it('waits with the next one for what needs the store for itself', async () => {
    const url = await newDatabase();
    const log = new PostgresEventLog(new Database(url), { epoch: 0 });
    onTestFinished(() => log.close());
    const db = new Database(url);
    onTestFinished(() => db.close());
    let entered: Promise<void> | undefined;
    await db.use(async (connection) => {
      await connection.run('BEGIN');
      await fenceOffServers(connection);
      await log.head();
      entered = log.enter();
      const waiting = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
      await expect.poll(() => sql(url, waiting), WITHIN).toHaveLength(1);
      await connection.run('COMMIT');
    });
    await entered;
    await expectFoundServed(url);
  });
});
