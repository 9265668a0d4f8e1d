import { expect, it } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { newEvent, placed } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';

it('instances under load take turns: none waits for all batches of the others', async () => {
  const url = await newDatabase();
  const logs = Array.from({ length: 4 }, () => new PostgresEventLog(new Database(url)));
  const appended = logs.map(() => 0);
  // Nobody begins before all are there.
  await Promise.all(logs.map((log) => log.head()));
  await Promise.race(
    logs.map(async (log, number) => {
      for (let turn = 0; turn < 60; turn++) {
        const result = await log.append(0, (newer) => [newEvent(placed(BigInt(newer.length)))]);
        if (result.kind === 'appended') appended[number] = (appended[number] ?? 0) + 1;
      }
    }),
  );
  expect(Math.max(...appended)).toBe(60);
  expect(Math.min(...appended)).toBeGreaterThan(30);
  for (const log of logs) await log.close();
});
