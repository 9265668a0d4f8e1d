import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { NewEvent } from '../../../src/app/log/recorded-event.ts';
import { UnreadableEvent } from '../../../src/app/ports/event-log.ts';
import { DamagedStore } from '../../../src/app/ports/store.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { OtherLog } from '../../../src/infra/postgres/known-head.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { KEPT } from '../../support/postgres/distant-log.ts';
import { lose, sql, tamper } from '../../support/postgres/sql.ts';

const place = (...ids: readonly number[]) => {
  return (): readonly NewEvent[] => ids.map((id) => newEvent(placed(BigInt(id))));
};

/** A log, another handle on it, and what the first was told of it. */
async function given() {
  const url = await newDatabase();
  const replaced: Error[] = [];
  const damaged: Error[] = [];
  const log = new PostgresEventLog(new Database(url), {
    replaced: (cause) => replaced.push(cause),
    damaged: (cause) => damaged.push(cause),
  });
  const other = new PostgresEventLog(new Database(url));
  onTestFinished(async () => {
    await log.close();
    await other.close();
  });
  const ids = async () => (await readAll(other)).map(({ event }) => Number(event.orderId));
  /** How many appends have locked the log before they decided. */
  const locked = () => log.lockWaits.cumulative.at(-1);
  return { url, log, other, ids, locked, replaced, damaged };
}

/** Takes the lock of a log in a session of its own, and returns a function that gives it up. */
async function lockOf(url: string): Promise<() => Promise<void>> {
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM store_orders.tree FOR UPDATE');
  return () => holder.end();
}

describe('an append under the lock of the log', () => {
  it('records nothing if the server refuses a row', async () => {
    const { url, log, ids } = await given();
    await sql(url, 'ALTER TABLE store_orders.events ADD CHECK (order_id <> 2)');
    const keep = (count: number) => {
      return log.append(
        0,
        (_newer, kept) => {
          expect(kept.recall(KEPT.by, KEPT.key)).toBeUndefined();
          kept.keep(KEPT);
          return place(1, count)();
        },
        [KEPT],
      );
    };
    expect(await keep(2)).toMatchObject({ kind: 'unavailable' });
    expect(await ids()).toStrictEqual([]);
    expect(await keep(3)).toMatchObject({ kind: 'appended' });
    expect(await ids()).toStrictEqual([1, 3]);
  });

  it('waits for it, and measures the wait in seconds', async () => {
    const { url, log, locked } = await given();
    const unlock = await lockOf(url);
    const append = log.append(0, place(1), [KEPT]);
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(() => sql(url, waiting)).toHaveLength(1);
    await wait(300);
    await unlock();
    expect(await append).toMatchObject({ kind: 'appended' });
    expect(locked()).toBe(1);
    expect(log.lockWaits.sum).toBeGreaterThan(0.01);
    expect(log.lockWaits.sum).toBeLessThan(60);
  });

  it('gives up after some seconds, and the next one is not affected', async () => {
    const { url, log, ids } = await given();
    const unlock = await lockOf(url);
    for (const names of [[], [KEPT]]) {
      const result = await log.append(0, place(1), names);
      expect(result).toMatchObject({ kind: 'unavailable' });
      expect(String('cause' in result && result.cause)).toContain('lock timeout');
    }
    await unlock();
    expect(await log.append(0, place(2), [KEPT])).toMatchObject({ kind: 'appended' });
    expect(await ids()).toStrictEqual([2]);
  });

  it('gives the lock up if the decision throws', async () => {
    const { log, other, ids } = await given();
    const failing = () => {
      throw new Error('no decision');
    };
    await expect(log.append(0, failing, [KEPT])).rejects.toThrow('no decision');
    expect(await other.append(0, place(1), [KEPT])).toMatchObject({ kind: 'appended' });
    expect(await log.append(0, place(2), [KEPT])).toMatchObject({ kind: 'appended' });
    expect(await ids()).toStrictEqual([1, 2]);
  });

  it('precedes the next decision after it was overtaken, and only that', async () => {
    const { log, other, ids, locked } = await given();
    await log.append(0, place(1));
    expect(locked()).toBe(0);
    await other.append(1, place(2));
    expect(await log.append(1, place(3))).toMatchObject({ kind: 'appended' });
    expect(locked()).toBe(1);
    expect(await log.append(3, place(4))).toMatchObject({ kind: 'appended' });
    expect(locked()).toBe(2);
    expect(await log.append(4, place(5))).toMatchObject({ kind: 'appended' });
    expect(locked()).toBe(2);
    expect(await ids()).toStrictEqual([1, 2, 3, 4, 5]);
  });

  it('refuses a log that was cut over another connection', async () => {
    for (const names of [[], [KEPT]]) {
      const { url, log, ids, replaced } = await given();
      await log.append(0, place(1, 2, 3));
      await lose(url, () => log.append(3, place(4, 5)), 2);
      expect(await log.append(5, place(6), names)).toMatchObject({
        kind: 'unavailable',
        cause: expect.any(OtherLog),
      });
      expect(replaced).toHaveLength(1);
      expect(await ids()).toStrictEqual([1, 2, 3]);
    }
  });

  it('throws at an event that is missing in front of its own', async () => {
    const { url, log, other } = await given();
    await other.append(0, place(1, 2, 3));
    await tamper(url, 'DELETE FROM events WHERE position = 2');
    const append = log.append(0, place(4), [KEPT]);
    await expect(append).rejects.toThrow(new UnreadableEvent(2, 'it is missing'));
  });

  it('is unavailable on a log that lacks its end, which is reported', async () => {
    const { url, log, other, damaged } = await given();
    await other.append(0, place(1, 2, 3));
    await tamper(url, 'DELETE FROM events WHERE position = 3');
    const result = await log.append(0, place(4), [KEPT]);
    expect(result).toMatchObject({ kind: 'unavailable', cause: expect.any(DamagedStore) });
    expect(damaged[0]).toBeInstanceOf(DamagedStore);
  });
});

describe('an append while its database is refused', () => {
  it('does not follow one in flight', async () => {
    const url = await newDatabase();
    const db = new Database(url);
    const log = new PostgresEventLog(db);
    onTestFinished(() => log.close());
    await log.append(0, place(1));
    const unlock = await lockOf(url);
    const first = log.append(1, place(2));
    expect(log.takesMore).toBe(true);
    db.refuse(new OtherLog(new Error('another connection has led to another log')));
    expect(log.takesMore).toBe(false);
    expect(await log.append(2, place(3))).toMatchObject({ kind: 'unavailable' });
    await unlock();
    await first;
    const [row] = await sql(url, 'SELECT count(*)::int AS count FROM store_orders.events');
    expect(row?.count).toBeLessThanOrEqual(2);
  });
});
