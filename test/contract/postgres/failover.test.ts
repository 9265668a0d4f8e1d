import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreUnavailable } from '../../../src/app/ports/store.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { OtherLog } from '../../../src/infra/postgres/known-head.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { endOtherSessions, sql } from '../../support/postgres/sql.ts';

/** A log with five events, of which this handle has told, and a copy of it as it was after three. */
async function given() {
  const url = await newDatabase();
  const replaced: Error[] = [];
  const reached: string[] = [];
  const reach = {
    outOfReach: ({ message }: Error) => void reached.push(message),
    inReach: () => void reached.push('in reach'),
    standbyIsSilent() {},
  };
  const log = new PostgresEventLog(new Database(url, reach), {
    replaced: (cause) => replaced.push(cause),
  });
  onTestFinished(() => log.close());
  await append(log, 3);
  const { name } = addressed(url);
  await endOtherSessions(url);
  const behind = await newDatabase(18, name);
  await append(log, 2);
  return { url, log, replaced, behind, reached };
}

async function append(log: PostgresEventLog, count: number, petId = 1n): Promise<void> {
  const head = await log.head();
  const events = Array.from({ length: count }, (_, n) =>
    newEvent(placed(BigInt(head + n + 1), { petId: petId as never })),
  );
  expect(await log.append(head, () => events)).toMatchObject({ kind: 'appended' });
}

function addressed(url: string): { name: string } {
  return { name: new URL(url).pathname.slice(1) };
}

/** Puts one database in the place of another, as a failover does. */
async function failOver(url: string, to: string): Promise<void> {
  const [old, next] = [addressed(url).name, addressed(to).name];
  const admin = new URL(url);
  admin.pathname = '/postgres';
  for (const name of [old, next]) {
    await sql(
      admin.href,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
  }
  await sql(admin.href, `ALTER DATABASE ${old} RENAME TO ${old}_old`);
  await sql(admin.href, `ALTER DATABASE ${next} RENAME TO ${old}`);
}

/** Puts the database back that was renamed. */
async function failBack(url: string, old: string): Promise<void> {
  const [name, right] = [addressed(url).name, addressed(old).name];
  const admin = new URL(url);
  admin.pathname = '/postgres';
  await sql(
    admin.href,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN ('${name}', '${right}')`,
  );
  await sql(admin.href, `ALTER DATABASE ${name} RENAME TO ${name}_wrong`);
  await sql(admin.href, `ALTER DATABASE ${right} RENAME TO ${name}`);
}

async function beside(url: string, use: (log: PostgresEventLog) => Promise<void>): Promise<void> {
  const log = new PostgresEventLog(new Database(url));
  await use(log);
  await log.close();
}

describe('after a failover, an instance', () => {
  it('continues if the log contains every acknowledged event', async () => {
    const { url, log, replaced } = await given();
    await beside(url, (other) => append(other, 4));
    await endOtherSessions(url);
    // A cut connection is noticed, by the first to use it at the latest.
    await log.head().catch(() => undefined);
    expect(await log.head()).toBe(9);
    await append(log, 1);
    expect(await readAll(log)).toHaveLength(10);
    expect(replaced).toStrictEqual([]);
  });

  it('refuses a log that has lost acknowledged events', async () => {
    const { url, log, replaced, behind } = await given();
    await failOver(url, behind);
    await expect(untilTold(() => log.head(), replaced)).rejects.toThrow(OtherLog);
    await expect(log.head()).rejects.toThrow(/lacks acknowledged events up to position 5/);
    await expect(readAll(log)).rejects.toThrow(StoreUnavailable);
    expect(await log.append(5, () => [])).toMatchObject({ kind: 'unavailable' });
    expect(replaced).toHaveLength(1);
  });

  it('reports no outage while the database answers', async () => {
    const { url, log, replaced, behind, reached } = await given();
    await failOver(url, behind);
    await expect(untilTold(() => log.head(), replaced)).rejects.toThrow(OtherLog);
    await setTimeout(1_500);
    await expect(log.head()).rejects.toThrow(OtherLog);
    // The failover itself has cut connections.
    expect([[], [expect.stringMatching(/terminat/), 'in reach']]).toContainEqual(reached);
  });

  it('appends no more after that, over any connection', async () => {
    const url = await newDatabase();
    const db = new Database(url);
    const log = new PostgresEventLog(db);
    onTestFinished(() => log.close());
    await append(log, 2);
    db.refuse(new OtherLog(new Error('another connection has led to another log')));
    expect(await log.append(2, () => [newEvent(placed(3n))])).toMatchObject({
      kind: 'unavailable',
    });
    await beside(url, async (other) => expect(await other.head()).toBe(2));
  });

  it('continues by itself when the right log is back', async () => {
    const { url, log, replaced, behind } = await given();
    await failOver(url, behind);
    await expect(untilTold(() => log.head(), replaced)).rejects.toThrow(OtherLog);
    await beside(url, (other) => append(other, 9, 99n));
    await setTimeout(1_500);
    await expect(log.head()).rejects.toThrow(OtherLog);
    const wrong = new URL(url);
    wrong.pathname += '_old';
    await failBack(url, wrong.href);
    await expect.poll(() => log.head().catch(() => 0), { timeout: 20_000 }).toBe(5);
    await append(log, 2);
    expect(await readAll(log)).toHaveLength(7);
    expect(replaced).toHaveLength(1);
  });

  it('refuses a log that has gone on in another way, however far', async () => {
    for (const more of [2, 7]) {
      const { url, log, replaced, behind } = await given();
      await beside(behind, (other) => append(other, more, 99n));
      await failOver(url, behind);
      await expect(untilTold(() => log.head(), replaced)).rejects.toThrow(OtherLog);
      expect(await log.append(5, () => [newEvent(placed(7n))])).toMatchObject({
        kind: 'unavailable',
      });
      await beside(url, async (other) => expect(await other.head()).toBe(3 + more));
    }
  });
});

/** Asks until it is told that the log is another one: a connection that was cut may fail first. */
async function untilTold(
  ask: () => Promise<unknown>,
  replaced: readonly Error[],
): Promise<unknown> {
  while (replaced.length === 0) await ask().catch(() => undefined);
  return ask();
}

describe('for any settings of a database, a session', () => {
  it('waits for the disk', async () => {
    const url = await newDatabase();
    const { name } = addressed(url);
    await sql(url, `ALTER DATABASE ${name} SET synchronous_commit = off`);
    const db = new Database(url);
    onTestFinished(() => db.close());
    const [row] = await db.query<[string]>({ name: 's', text: 'SHOW synchronous_commit' });
    expect(row).toStrictEqual(['on']);
  });

  it('reads the newest state, and may write', async () => {
    const url = await newDatabase();
    const { name } = addressed(url);
    await sql(url, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    await sql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await beside(url, (log) => append(log, 2));
  });
});

describe('for any rights of its user, a session', () => {
  it('waits for standbys, even without a language to wait in', async () => {
    const url = await newDatabase();
    await sql(url, 'REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC');
    const { name } = addressed(url);
    await sql(url, `CREATE ROLE user_${name} LOGIN IN ROLE store_orders_app`);
    onTestFinished(async () => void (await sql(url, `DROP ROLE user_${name}`)));
    await beside(url.replace('postgres@', `user_${name}@`), (log) => append(log, 1));
  });
});

describe('a connection', () => {
  it('that is ended while idle is replaced', async () => {
    const url = await newDatabase();
    await beside(url, async (log) => {
      for (let round = 0; round < 3; round++) {
        await append(log, 1);
        await endOtherSessions(url);
        await log.head().catch(() => undefined);
      }
      expect(await log.head()).toBe(3);
    });
  });

  it('that nobody makes any more after a close is reported as no outage', async () => {
    const reached: string[] = [];
    const outOfReach = ({ message }: Error) => void reached.push(message);
    const url = await newDatabase();
    const db = new Database(url, { outOfReach, inReach() {}, standbyIsSilent() {} });
    (await db.connect()).release();
    await db.close();
    await expect(db.connect()).rejects.toThrow(StoreUnavailable);
    expect(reached).toEqual([]);
  });

  it('that cannot be made is reported once', async () => {
    const url = await newDatabase();
    const nowhere = new URL(url);
    nowhere.port = '1';
    const told: string[] = [];
    const reach = {
      outOfReach: () => void told.push('out'),
      inReach: () => void told.push('in'),
      standbyIsSilent: () => void told.push('standby'),
    };
    const db = new Database(nowhere.href, reach);
    const log = new PostgresEventLog(db);
    await expect(log.head()).rejects.toThrow(StoreUnavailable);
    expect(await log.append(0, () => [])).toMatchObject({ kind: 'unavailable' });
    expect(told).toStrictEqual(['out']);
    await log.close();
  });
});
