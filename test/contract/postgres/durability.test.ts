import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { UNWATCHED } from '../../../src/infra/postgres/connection/reach.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { requireOwnSessions } from '../../../src/infra/postgres/start/own-sessions.ts';
import {
  openPostgresForCommandLine,
  openPostgresStore,
} from '../../../src/infra/postgres/store.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';

/** A PostgreSQL of the test's own, with a log on it. */
async function given(settings: Readonly<Record<string, string>> = {}) {
  const cluster = await Cluster.start(18, settings, placeInMemory());
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  return cluster;
}

it('a wait for a standby that the server has given up is no success', async () => {
  const cluster = await given();
  const url = cluster.url('postgres');
  await migrate(url, true);
  const log = new PostgresEventLog(new Database(url));
  onTestFinished(() => log.close());
  expect((await log.append(0, () => [newEvent(placed(1n))])).kind).toBe('appended');
  // A connection to read by, while it can be had: to be admitted, one waits for standbys, too.
  await log.head();

  await cluster.sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await cluster.sql('SELECT pg_reload_conf()');
  const { waiting, head } = await appendThatWaits(cluster, log);
  await cluster.sql(`SELECT pg_cancel_backend(pid) ${WHO_WAITS}`);
  const result = await waiting;
  expect(result.kind).toBe('unknown');
  expect(result).toMatchObject({ cause: { message: expect.stringMatching(/synchronous/) } });
  // It is there, and might be gone after a failover: nobody has been told that it is safe.
  expect(await readAll(log)).toHaveLength(head);

  await cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
  await cluster.sql('SELECT pg_reload_conf()');
  expect((await log.append(head, () => [newEvent(placed(0n))])).kind).toBe('appended');
});

const WHO_WAITS = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

/** Appends until an append waits for a standby: a server takes a moment to know that it has to. */
async function appendThatWaits(cluster: Cluster, log: PostgresEventLog) {
  for (let head = (await log.head()) + 1; ; head++) {
    const waiting = log.append(head - 1, () => [newEvent(placed(BigInt(head)))]);
    let isDone = false;
    waiting.then(() => {
      isDone = true;
    });
    while (!isDone) {
      if ((await cluster.sql(`SELECT 1 ${WHO_WAITS}`)).length > 0) return { waiting, head };
      await setTimeout(20);
    }
  }
}

it('a change whose wait was ended is not shown, and no success, until a commit is confirmed', async () => {
  const cluster = await given();
  const url = cluster.url('postgres');
  await migrate(url, true);
  const told: boolean[] = [];
  const db = new Database(url, { ...UNWATCHED, standbyIsSilent: (is) => void told.push(is) });
  const log = new PostgresEventLog(db);
  onTestFinished(() => log.close());
  await log.head();
  db.followPulse();
  await cluster.sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await cluster.sql('SELECT pg_reload_conf()');
  const { waiting, head } = await appendThatWaits(cluster, log);
  const cancel = () => cluster.sql(`SELECT pg_cancel_backend(pid) ${WHO_WAITS}`);
  await cancel();
  expect((await waiting).kind).toBe('unknown');
  expect(told).toStrictEqual([true]);
  await expect(log.head()).rejects.toThrow(/no commit is confirmed/);

  // Such as the row of a key.
  const wrote = db.query({ name: 'write', text: `SELECT pg_logical_emit_message(true, 'x', '')` });
  const cancelling = setInterval(() => void cancel(), 50);
  await expect(wrote).rejects.toThrow(/no commit is confirmed/);
  clearInterval(cancelling);

  await cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
  await cluster.sql('SELECT pg_reload_conf()');
  await expect.poll(() => told, { timeout: 10_000 }).toStrictEqual([true, false]);
  expect(await log.head()).toBe(head);
});

it('events of a killed server that its standby lacks are not shown', async () => {
  const cluster = await given();
  const url = cluster.url('postgres');
  await migrate(url, true);
  const log = new PostgresEventLog(new Database(url));
  onTestFinished(() => log.close());
  await log.append(0, () => [newEvent(placed(1n))]);
  await log.head();
  await cluster.sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
  await cluster.sql('SELECT pg_reload_conf()');
  const { waiting, head } = await appendThatWaits(cluster, log);
  await cluster.end('SIGQUIT');
  await cluster.begin();
  // By now the server shows it to anybody who asks.
  const [row] = await cluster.sql('SELECT max(position)::integer AS head FROM store_orders.events');
  expect(row).toStrictEqual({ head });
  const reading = log.head().then(
    () => 'shown',
    () => 'refused',
  );
  expect(await Promise.race([reading, setTimeout(1_000, 'waits')])).toBe('waits');
  expect((await waiting).kind).toBe('unknown');
  await cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
  await cluster.sql('SELECT pg_reload_conf()');
  while ((await log.head().catch(() => 0)) !== head) await setTimeout(50);
});

describe('while no commit is confirmed', () => {
  const ONE = { name: 'one', text: 'SELECT 1' };
  const NO_STANDBY = /no commit is confirmed .*: a synchronous standby may be away/;
  const timeouts = { connect: 3_000, answer: 500 };

  /** Returns a server whose commits wait for a standby that is not there, until `end` is called. */
  async function givenNobody() {
    const cluster = await given();
    const url = cluster.url('postgres');
    await cluster.sql(`ALTER SYSTEM SET synchronous_standby_names = 'nobody'`);
    await cluster.sql('SELECT pg_reload_conf()');
    const opens = async () => {
      const db = new Database(url, UNWATCHED, timeouts);
      return db.query(ONE).then(...[true, false].map((is) => () => db.close().then(() => is)));
    };
    while (await opens()) await setTimeout(20);
    const waiting = () => cluster.sql(`SELECT query ${WHO_WAITS} OR wait_event_type = 'Lock'`);
    const end = async () => {
      await cluster.sql('ALTER SYSTEM RESET synchronous_standby_names');
      await cluster.sql('SELECT pg_reload_conf()');
    };
    return { cluster, url, waiting, end };
  }

  it('no session waits for longer than its client, and one at a time once that is known', async () => {
    const { url, waiting, end } = await givenNobody();
    const told: boolean[] = [];
    const reach = { ...UNWATCHED, standbyIsSilent: (is: boolean) => void told.push(is) };
    const db = new Database(url, reach, timeouts);
    onTestFinished(() => db.close());
    const tryAll = () =>
      Promise.all(
        Array.from({ length: 6 }, () => expect(db.query(ONE)).rejects.toThrow(NO_STANDBY)),
      );
    await tryAll();
    await expect.poll(waiting).toStrictEqual([]);
    db.followPulse();
    for (let round = 0; round < 3; round++) await tryAll();
    expect((await waiting()).length).toBeLessThanOrEqual(1);
    expect(told).toStrictEqual([true]);
    await end();
    await expect.poll(() => told, { timeout: 10_000 }).toStrictEqual([true, false]);
    expect(await db.query(ONE)).toHaveLength(1);
  });

  it('a start says so, and does not wait for longer than it says to notify', async () => {
    const { url, cluster, waiting, end } = await givenNobody();
    const held = cluster.sql(`SELECT pg_logical_emit_message(true, 'x', ''), pg_notify('x', '')`);
    await expect.poll(waiting).toHaveLength(1);
    await expect(requireOwnSessions(url, timeouts)).rejects.toThrow(NO_STANDBY);
    expect(await waiting()).toHaveLength(1);
    await end();
    await held;
    await requireOwnSessions(url);
  });
});

it('a server that does not flush is refused', async () => {
  const cluster = await given({ fsync: 'off' });
  await expect(openPostgresForCommandLine(cluster.url('postgres'))).rejects.toThrow(
    'PostgreSQL refuses durability: fsync=off',
  );
});

it('an outage is reported, nothing stale is read meanwhile, and its end is reported, too', async () => {
  const cluster = await given();
  const told: string[] = [];
  const store = await openPostgresStore(cluster.url('postgres'), {
    lost: () => void told.push('lost'),
    impaired: (reason) => void told.push(reason),
    mended: (reason) => void told.push(`${reason} is over`),
    noticed: () => {},
  });
  onTestFinished(() => store.close());
  await cluster.end('SIGQUIT');
  while (told.length < 1) await setTimeout(20);
  await expect(store.log.head()).rejects.toThrow();
  await expect(store.keys.list()).rejects.toThrow();
  await cluster.begin();
  while (told.length < 2) await setTimeout(20);
  expect(await store.log.head()).toBe(0);
  expect(told).toStrictEqual(['database_unreachable', 'database_unreachable is over']);
});
