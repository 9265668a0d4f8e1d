import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { requireOwnSessions } from '../../../src/infra/postgres/start/own-sessions.ts';
import { openPostgresForCommandLine } from '../../../src/infra/postgres/store.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { exactJson } from '../../support/http.ts';
import { partByDay } from '../../support/nightly.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { Network } from '../../support/postgres/network.ts';
import { noPgBouncer, startPgBouncer } from '../../support/postgres/pgbouncer.ts';
import { TransactionPooler } from '../../support/postgres/pooler.ts';
import { Service, start } from '../../support/service.ts';

/** The address of a database by way of another port. */
function through(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

describe('a database that is reached', () => {
  it('directly, or by way of what only passes bytes on, has sessions of its own', async () => {
    const url = await newDatabase();
    await requireOwnSessions(url);
    const network = await Network.start(Number(new URL(url).port));
    onTestFinished(() => network[Symbol.asyncDispose]());
    await requireOwnSessions(network.through(url));
  });

  it('by way of a pooler with one session for all is refused', async () => {
    const url = await newDatabase();
    const { port, pathname } = new URL(url);
    const pooler = await TransactionPooler.start(Number(port), pathname.slice(1));
    onTestFinished(() => pooler[Symbol.asyncDispose]());
    await expect(requireOwnSessions(through(url, pooler.port))).rejects.toThrow(UserError);
  });
});

const without = noPgBouncer();

/** The settings with which a pooler shares sessions. By day each second one is tried. */
const SHARING = [
  { pool_mode: 'transaction', default_pool_size: 20 },
  { pool_mode: 'transaction', default_pool_size: 1 },
  { pool_mode: 'statement', default_pool_size: 20 },
  { pool_mode: 'transaction', default_pool_size: 20, server_round_robin: 1, min_pool_size: 8 },
];

describe.skipIf(without !== undefined)(
  `PgBouncer${without === undefined ? '' : ` (skipped: ${without})`}`,
  () => {
    it.each(partByDay(SHARING, 2))('with %o is refused in one sentence', async (settings) => {
      const url = await newDatabase();
      const port = await startPgBouncer(Number(new URL(url).port), settings);
      const program = start(['serve'], temporaryFolder(), {
        PORT: '0',
        DATABASE_URL: through(url, port),
      });
      expect(await program.ended()).toBe(1);
      expect(program.stderr).toBe(
        `store-orders: postgres://127.0.0.1:${port}${new URL(url).pathname} leads to a pooler that ` +
          'shares sessions, such as PgBouncer with pool_mode=transaction: set its pool_mode to ' +
          'session, or name the address of PostgreSQL itself.\n',
      );
    });

    it('with pool_mode=session has sessions of its own', async () => {
      const url = await newDatabase();
      const settings = { pool_mode: 'session', default_pool_size: 20 };
      const port = await startPgBouncer(Number(new URL(url).port), settings);
      const { log, close } = await openPostgresForCommandLine(through(url, port));
      expect(await log.append(0, () => [newEvent(placed(1n))])).toMatchObject({ kind: 'appended' });
      expect(await readAll(log)).toHaveLength(1);
      await close();
    });

    it('with pool_mode=session serves two instances', async () => {
      const url = await newDatabase();
      const settings = { pool_mode: 'session', default_pool_size: 20 };
      const DATABASE_URL = through(url, await startPgBouncer(Number(new URL(url).port), settings));
      await using one = await Service.start({ DATABASE_URL });
      await using two = await Service.start({ DATABASE_URL, INITIAL_API_KEY: one.key });
      for (let order = 1; order <= 20; order++) {
        const placed = await one.send('POST', '/v1/store/orders', { petId: order, quantity: 1 });
        expect(placed.status).toBe(201);
        const Authorization = `Bearer ${one.key}`;
        const list = await two.ask('GET', '/v1/store/orders', { headers: { Authorization } });
        expect(exactJson(list.text)).toHaveLength(order);
      }
    });

    it('with fewer sessions than an instance needs is refused', async () => {
      const url = await newDatabase();
      const settings = { pool_mode: 'session', default_pool_size: 1 };
      const port = await startPgBouncer(Number(new URL(url).port), settings);
      await expect(openPostgresForCommandLine(through(url, port))).rejects.toThrow(
        /has no second session to give/,
      );
    });
  },
);
