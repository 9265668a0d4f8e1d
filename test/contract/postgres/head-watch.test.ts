import { describe, expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { CHANNEL } from '../../../src/infra/postgres/schema.ts';
import { newEvent, placed } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

const WITHIN = { timeout: 20_000, interval: 20 };

/** A log with a watcher, whose calls are counted, once it listens and has called the watcher. */
async function given() {
  const url = await newDatabase();
  const log = new PostgresEventLog(new Database(url));
  const calls = { count: 0 };
  const unwatch = log.watch(() => {
    calls.count += 1;
  });
  onTestFinished(() => log.close());
  /** The sessions that listen. */
  const listeners = async () => {
    const rows = await sql<{ pid: number }>(
      url,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'`,
    );
    return rows.map(({ pid }) => pid);
  };
  await expect.poll(listeners, WITHIN).toHaveLength(1);
  await expect.poll(() => calls.count, WITHIN).toBeGreaterThan(0);
  const notify = () => sql(url, `SELECT pg_notify('${CHANNEL}', '')`);
  return { url, log, calls, unwatch, listeners, notify };
}

describe('the watch of a head', () => {
  it('calls everybody on a notification, whatever the head is', async () => {
    const { log, calls, notify } = await given();
    let others = 0;
    log.watch(() => {
      others += 1;
    });
    await expect.poll(() => others, WITHIN).toBeGreaterThan(0);
    for (const _ of [1, 2, 3]) {
      const [before, othersBefore] = [calls.count, others];
      await notify();
      await expect.poll(() => calls.count, WITHIN).toBeGreaterThan(before);
      await expect.poll(() => others, WITHIN).toBeGreaterThan(othersBefore);
    }
  });

  it('calls once for the notifications of a moment', async () => {
    const { url, calls } = await given();
    const before = calls.count;
    // The server sends those of one transaction at once, and equal ones once.
    await sql(
      url,
      `SELECT pg_notify('${CHANNEL}', number::text) FROM generate_series(1, 100) number`,
    );
    await expect.poll(() => calls.count, WITHIN).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(calls.count - before).toBeLessThan(10);
  });

  it('listens again after its session was ended, and calls for what came meanwhile', async () => {
    const { url, log, calls, listeners, notify } = await given();
    const [first] = await listeners();
    await sql(url, `SELECT pg_terminate_backend(${first})`);
    const before = calls.count;
    await log.append(0, () => [newEvent(placed(1n))]);
    await expect.poll(() => calls.count, WITHIN).toBeGreaterThan(before);
    await expect.poll(listeners, WITHIN).toHaveLength(1);
    expect(await listeners()).not.toContain(first);
    const since = calls.count;
    await notify();
    await expect.poll(() => calls.count, WITHIN).toBeGreaterThan(since);
  });

  it('calls nobody who watches no more, and leaves no session behind', async () => {
    const { log, calls, unwatch, listeners, notify } = await given();
    let others = 0;
    log.watch(() => {
      others += 1;
    });
    unwatch();
    const before = calls.count;
    await notify();
    await expect.poll(() => others, WITHIN).toBeGreaterThan(0);
    await log.close();
    expect(calls.count).toBe(before);
    await expect.poll(listeners, WITHIN).toHaveLength(0);
  });
});
