/** A database of which a process gets fewer connections than it would use. */

import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { endOtherSessions, sql } from '../../support/postgres/sql.ts';

const ONE = { name: 'one', text: 'SELECT 1' };
const SHORT_WAIT = { name: 'short', text: 'SELECT pg_sleep(0.01)::text' };
const LONG_WAIT = { name: 'long', text: 'SELECT pg_sleep(5)::text' };

/** A database, and its user, who may have `most` connections. */
async function limited(most: number) {
  const url = await newDatabase();
  const user = `user_${new URL(url).pathname.slice(1)}`;
  await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app CONNECTION LIMIT ${most}`);
  onTestFinished(async () => void (await sql(url, `DROP OWNED BY ${user}; DROP ROLE ${user}`)));
  const db = new Database(url.replace('postgres@', `${user}@`));
  onTestFinished(() => db.close());
  const limit = (count: number) => sql(url, `ALTER ROLE ${user} CONNECTION LIMIT ${count}`);
  return { url, db, limit };
}

it('the open connections carry all calls while the server has no other left', async () => {
  const { db, limit } = await limited(2);
  const ask = () => db.query(SHORT_WAIT);
  const burst = async (calls: number) => {
    expect(await Promise.all(Array.from({ length: calls }, ask))).toHaveLength(calls);
  };
  // One call waits for the other connection that is open.
  await ask();
  await burst(20);
  // A burst can leave one: the server counts connections that it is about to refuse against others.
  await burst(2);
  for (let time = 1; time <= 3; time++) {
    await burst(20);
    expect(db.connections).toStrictEqual({ idle: 2, used: 0, waiting: 0 });
  }
  await limit(-1);
  await expect
    .poll(async () => {
      await burst(20);
      return db.connections.idle;
    })
    .toBe(6);
});

it('a call fails with the reason of the server if none becomes free in time, or none is open', async () => {
  const { url, db, limit } = await limited(1);
  const held = await db.connect();
  const refused = async () => {
    const error: unknown = await db.query(ONE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect((error as Error).message).toMatch(/^too many connections for role/);
  };
  await refused();
  // The connection that a call has waited for in vain is not lost.
  held.release();
  await db.query(ONE);
  await limit(0);
  await endOtherSessions(url);
  await setTimeout(100);
  await refused();
  await limit(-1);
  await db.query(ONE);
});

it('others are opened once the server has them again, however many calls wait meanwhile', async () => {
  const { db, limit } = await limited(1);
  const held = await db.connect();
  onTestFinished(() => held.release());
  let answered = 0;
  // One of these always waits for a connection.
  const asking = setInterval(() => {
    db.query(ONE).then(
      () => {
        answered += 1;
      },
      () => {},
    );
  }, 50);
  onTestFinished(() => clearInterval(asking));
  await setTimeout(1_500);
  expect(answered).toBe(0);
  await limit(-1);
  await expect.poll(() => answered, { timeout: 5_000 }).toBeGreaterThan(0);
});

it('a connection that was cut while it was prepared does not count against those that are open', async () => {
  const { url, db, limit } = await limited(6);
  const { promise: prepared, resolve: preparing } = Promise.withResolvers<void>();
  db.admit = async (connection) => {
    preparing();
    await connection.query(LONG_WAIT);
  };
  const cut = db.query(ONE).catch(() => 'cut');
  await prepared;
  db.refuse(new Error('another log'));
  expect(await cut).toBe('cut');
  db.admit = async () => {};
  await endOtherSessions(url);
  await setTimeout(100);
  await limit(1);
  await db.reconsider();
  const held = await db.connect();
  const [waiting] = await Promise.all([
    db.query(ONE).catch((error: Error) => error.message),
    setTimeout(100).then(() => held.release()),
  ]);
  expect(waiting).toStrictEqual([[1]]);
});
