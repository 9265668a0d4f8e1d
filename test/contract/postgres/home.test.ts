import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { openPostgresEvidence } from '../../../src/infra/postgres/evidence.ts';
import { openPostgresStore } from '../../../src/infra/postgres/store.ts';
import { checkPostgresStore } from '../../../src/infra/postgres/store-check.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';

/** Starts an instance. Returns its epoch, and the causes that the log has of a new one. */
async function started(url: string, file = join(temporaryFolder(), 'head')) {
  const causes: string[] = [];
  const watcher = {
    lost() {},
    impaired() {},
    mended() {},
    noticed(message: string, { cause }: { cause?: string }) {
      if (message === 'a new epoch has begun') causes.push(String(cause));
    },
  };
  const store = await openPostgresStore(url, watcher, undefined, () => file);
  await store.close();
  return { epoch: store.epochs.number, causes };
}

async function homeIn(url: string): Promise<string> {
  const [store] = await sql<{ home: string }>(url, 'SELECT home FROM store_orders.store');
  return String(store?.home);
}

function setHome(url: string, home: string): Promise<unknown> {
  return sql(url, `UPDATE store_orders.store SET home = '${home}'`);
}

/** Returns the address of a database for a new user with the rights of an instance. */
async function withoutMoreRights(url: string): Promise<string> {
  const user = `shop_${randomBytes(6).toString('hex')}`;
  await sql(url, `CREATE ROLE ${user} LOGIN IN ROLE store_orders_app`);
  onTestFinished(async () => void (await sql(url, `DROP ROLE ${user}`)));
  const address = new URL(url);
  address.username = user;
  return address.href;
}

/** Returns a home with other parts. */
function withOther(home: string, other: { server?: string; ids?: string }): string {
  const [server, ...ids] = home.split('/');
  return `${other.server ?? server}/${other.ids ?? ids.join('/')}`;
}

describe('the database that contains a store', () => {
  it('is the same, whether or not its server can be identified', async () => {
    const url = await newDatabase();
    await started(url);
    const home = await homeIn(url);
    expect(home).toMatch(/^\d{10,}\/\d+\/\d+$/);
    await setHome(url, withOther(home, { server: '' }));
    expect(await started(url)).toEqual({ epoch: 0, causes: [] });
    expect(await homeIn(url)).toBe(home);
    await sql(url, 'REVOKE EXECUTE ON FUNCTION pg_catalog.pg_control_system() FROM PUBLIC');
    expect(await started(await withoutMoreRights(url))).toEqual({ epoch: 0, causes: [] });
    expect(await homeIn(url)).toBe(home);
  });

  it('is another one if its server or one of its ids is, and the log says so', async () => {
    const url = await newDatabase();
    await started(url);
    const home = await homeIn(url);
    for (const [index, other] of [
      { server: '1' },
      { ids: '1/1' },
      { server: '', ids: '1/1' },
    ].entries()) {
      const from = withOther(home, other);
      await setHome(url, from);
      expect(await started(url)).toEqual({
        epoch: index + 1,
        causes: [`the log was recorded in the database ${from}, and this is ${home}`],
      });
      expect(await homeIn(url)).toBe(home);
      expect(await started(url)).toEqual({ epoch: index + 1, causes: [] });
    }
  });

  it('is another one for an instance that runs, too, which would go on in the same epoch', async () => {
    const url = await newDatabase();
    const impaired: string[] = [];
    const store = await openPostgresStore(url, {
      lost() {},
      noticed() {},
      impaired: (reason, cause) => void impaired.push(`${reason}: ${cause.message}`),
      mended: (reason) => void impaired.push(`${reason} is over`),
    });
    onTestFinished(() => store.close());
    const home = await homeIn(url);
    await setHome(url, withOther(home, { ids: '1/1' }));
    const says =
      'database_replaced: the log lacks acknowledged events up to position 0: it is a copy: stop all ' +
      'instances, and start them again';
    await expect.poll(() => impaired, { timeout: 10_000 }).toStrictEqual([says]);
    await expect(store.log.head()).rejects.toThrow('it is a copy');
    await setHome(url, home);
    const isOver = [says, 'database_replaced is over'];
    await expect.poll(() => impaired, { timeout: 10_000 }).toStrictEqual(isOver);
    expect(await store.log.head()).toBe(0);
  });

  it.each(['', '1', 'a/b/c', '1/2/3/4', 'Elsewhere'])(
    'is never %j, which is damage',
    async (no) => {
      const url = await newDatabase();
      await started(url);
      await setHome(url, no);
      const says = 'the record of the database that contains the store is damaged';
      await expect(started(url)).rejects.toThrow(says);
      await expect(checkPostgresStore(url, async () => {})).rejects.toThrow(says);
      const evidence = await openPostgresEvidence(url);
      const { findings } = await verifyStore(evidence, [], async () => {});
      await evidence.close();
      expect(findings).toContainEqual({ problem: says });
      expect(evidence.epochs.number).toBe(0);
    },
  );
});
