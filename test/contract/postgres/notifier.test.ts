import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { CHANNEL } from '../../../src/infra/postgres/schema.ts';
import { newEvent, placed } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

/** A log, and somebody who hears what others are told of it, and by whose connection. */
async function given() {
  const url = await newDatabase();
  const log = new PostgresEventLog(new Database(url));
  const listener = new pg.Client(url);
  await listener.connect();
  onTestFinished(() => listener.end());
  await listener.query(`LISTEN ${CHANNEL}`);
  let told = 0;
  listener.on('notification', () => {
    told += 1;
  });
  let next = 0;
  const append = async () => {
    next += 1;
    const event = newEvent(placed(BigInt(next)));
    expect(await log.append(next - 1, () => [event])).toMatchObject({ kind: 'appended' });
    return next;
  };
  // Whoever asks something has been told, by the answer, of all that was committed before.
  const heard = async () => {
    await listener.query('SELECT');
    return told;
  };
  /** Appends until nobody is told of it at once, and resolves with how often anybody was before. */
  const appendUntold = async () => {
    for (;;) {
      const before = await heard();
      await append();
      if ((await heard()) === before) return before;
    }
  };
  return { log, append, appendUntold, heard };
}

it('Other instances are notified at once of an append after a pause', async () => {
  const { log, append, heard } = await given();
  for (const due of [1, 2, 3]) {
    await append();
    expect(await heard()).toBe(due);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(await heard()).toBe(3);
  await log.close();
});

it('Other instances are notified of the end of a burst, but not of each batch', async () => {
  const { log, append, appendUntold, heard } = await given();
  const until = performance.now() + 300;
  let batches = 0;
  while (performance.now() < until) batches = await append();
  const during = await heard();
  // One in 50 ms, and whatever the timer has told when the machine stood still.
  expect(during).toBeLessThanOrEqual(1 + 300 / 50 + 300 / 70);
  expect(during).toBeLessThan(batches);
  const before = await appendUntold();
  await expect.poll(heard).toBe(before + 1);
  await log.close();
});

it('Other instances are notified of the end of a burst by a log that closes', async () => {
  const { log, appendUntold, heard } = await given();
  const before = await appendUntold();
  await log.close();
  expect(await heard()).toBe(before + 1);
});

it('No instance is notified of a batch without events', async () => {
  const { log, append, heard } = await given();
  await append();
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await log.append(1, () => [])).toMatchObject({ kind: 'appended', events: [] });
  await append();
  expect(await heard()).toBe(2);
  await log.close();
});
