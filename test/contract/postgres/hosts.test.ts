import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';

async function given() {
  const primary = await Cluster.start(18, {}, placeInMemory());
  onTestFinished(() => primary[Symbol.asyncDispose]());
  await migrate(primary.url('postgres'), true);
  const standby = await primary.standby();
  onTestFinished(() => standby[Symbol.asyncDispose]());
  return { primary, standby };
}

function opened(url: string): PostgresEventLog {
  const log = new PostgresEventLog(new Database(url));
  onTestFinished(() => log.close());
  return log;
}

const addressOf = (...ports: readonly number[]) =>
  `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/postgres?target_session_attrs=read-write`;

it('of several hosts, the primary is used, whichever it is by now', async () => {
  const { primary, standby } = await given();
  // Nobody listens at the first.
  const log = opened(addressOf(1, standby.port, primary.port));
  expect(await log.append(0, () => [newEvent(placed(1n))])).toMatchObject({ kind: 'appended' });
  await primary.end('SIGQUIT');
  const append = () => log.append(1, () => [newEvent(placed(2n))]);
  const first = await append();
  // Unknown if the end of the connection was not seen yet, and the append was sent on it.
  const result = first.kind === 'unknown' ? await append() : first;
  expect(result).toMatchObject({ kind: 'unavailable' });
  await standby.sql('ALTER SYSTEM RESET synchronous_standby_names');
  await standby.sql('SELECT pg_reload_conf()');
  await standby.sql('SELECT pg_promote()');
  for (;;) {
    const result = await append();
    if (result.kind === 'appended') break;
    expect(result.kind).toBe('unavailable');
    await setTimeout(50);
  }
  expect(await readAll(opened(addressOf(standby.port)))).toHaveLength(2);
  expect(await migrate(addressOf(1, standby.port), true)).toMatchObject({
    from: expect.any(Number),
  });
});

it('if no host is the primary, the error of each is reported', async () => {
  const { primary, standby } = await given();
  await primary.end();
  const log = opened(addressOf(primary.port, standby.port));
  const refused = `127.0.0.1:${primary.port}: connect ECONNREFUSED`;
  await expect(log.head()).rejects.toThrow(refused);
  await expect(log.head()).rejects.toThrow(`127.0.0.1:${standby.port}: the server is a standby`);
});
