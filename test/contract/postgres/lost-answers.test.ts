import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { copyStore } from '../../../src/app/lifecycle/copy-store.ts';
import type { StoreIsThere } from '../../../src/app/lifecycle/user-error.ts';
import type { ApiKey } from '../../../src/app/ports/key-store.ts';
import { acceptLossInPostgres } from '../../../src/infra/postgres/accept-loss.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { openPostgresCopy, openPostgresOriginal } from '../../../src/infra/postgres/copy.ts';
import { PostgresKeyStore } from '../../../src/infra/postgres/key-store.ts';
import { migrate } from '../../../src/infra/postgres/migrations.ts';
import { SCHEMA_VERSION } from '../../../src/infra/postgres/schema.ts';
import { PostgresSigningKeys } from '../../../src/infra/postgres/signing-keys.ts';
import {
  openPostgresForCommandLine,
  openPostgresStore,
} from '../../../src/infra/postgres/store.ts';
import { LATER, NOON, newEvent, placed } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { KEPT } from '../../support/postgres/distant-log.ts';
import { Network } from '../../support/postgres/network.ts';
import { lose, sql } from '../../support/postgres/sql.ts';
import { seed } from '../../support/witnessed-log.ts';
import { refusal } from '../refusal-trail.ts';

const KEY: ApiKey = {
  id: 'AbCdEfGh01',
  name: 'the warehouse',
  hash: Buffer.alloc(32, 1),
  scopes: ['orders:read'],
  createdAt: NOON,
};

/** A network in front of a database, which loses the answer to each statement that it is given. */
async function behind(url: string) {
  const network = await Network.start(Number(new URL(url).port));
  onTestFinished(() => network[Symbol.asyncDispose]());
  return {
    network,
    url: network.through(url),
    /**
     * Cuts the next connection on which a statement is sent, once it is answered.
     * @param after Text that is sent before it.
     */
    loseAnswer(sent: string, answer: string, after = '', isLast = false) {
      let isDone = false;
      let isAfter = after === '';
      network.fromClient = (bytes, link) => {
        isAfter ||= bytes.includes(after);
        link.isMarked ||= !isDone && isAfter && bytes.includes(sent);
        isDone ||= link.isMarked;
        return 'pass';
      };
      network.fromServer = (bytes, link) => {
        if (!link.isMarked) return 'pass';
        if (!bytes.includes(`${answer}\0`)) return 'drop';
        network.isOpen = !isLast;
        return 'cut';
      };
      return () => expect(isDone).toBe(true);
    },
  };
}

function unknown(clause: string, url: string): string {
  const place = url.replace('postgres@', '');
  return `Whether ${clause} is not known: the answer of ${place} was lost (`;
}

async function epochsIn(url: string): Promise<number> {
  return (await sql(url, 'SELECT FROM store_orders.epochs')).length;
}

describe('a change of the keys whose answer is lost', () => {
  it('is found', async () => {
    const near = await newDatabase();
    const { url, loseAnswer } = await behind(near);
    const db = new Database(url);
    onTestFinished(() => db.close());
    const keys = new PostgresKeyStore(db);
    const signingKeys = new PostgresSigningKeys(db);
    let isLost = loseAnswer('add_key', 'INSERT 0 1');
    expect(await keys.add(KEY)).toBe(true);
    isLost();
    isLost = loseAnswer('limit_key', 'UPDATE 1');
    expect(await keys.limit(KEY.id, { streams: 1 }, {})).toBe(true);
    isLost();
    isLost = loseAnswer('revoke_key', 'UPDATE 1');
    expect(await keys.revoke(KEY.id, LATER)).toBe(true);
    isLost();
    expect(await keys.list()).toEqual([{ ...KEY, limits: { streams: 1 }, revokedAt: LATER }]);
    const { verifierKey } = new NoteSigner('log', seed(1));
    isLost = loseAnswer('add_signing_key', 'INSERT 0 1');
    expect(await signingKeys.add({ verifierKey, since: NOON }, 0)).toBe(true);
    isLost();
  });

  it('is reported as unknown if it cannot be searched for', async () => {
    const { url, loseAnswer } = await behind(await newDatabase());
    const db = new Database(url);
    onTestFinished(() => db.close());
    loseAnswer('add_key', 'INSERT 0 1', '', true);
    await expect(new PostgresKeyStore(db).add(KEY)).rejects.toThrow(
      unknown(`the key ${KEY.id} was added`, url),
    );
  });

  it('is refused in the words of the server if the answer is a refusal', async () => {
    const url = await newDatabase();
    const db = new Database(url);
    onTestFinished(() => db.close());
    const keys = new PostgresKeyStore(db);
    await sql(
      url,
      `CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not here'; END $$;
       CREATE TRIGGER no BEFORE INSERT ON store_orders.api_keys
         FOR EACH ROW EXECUTE FUNCTION no()`,
    );
    await expect(keys.add(KEY)).rejects.toThrow(/^not here$/);
  });
});

describe('an epoch whose commit is not answered', () => {
  async function given() {
    const near = await newDatabase();
    const file = join(temporaryFolder(), 'head');
    const place = () => file;
    const append = async () => {
      const store = await openPostgresForCommandLine(near, undefined, place);
      const head = await store.log.head();
      await store.log.append(head, () => [newEvent(placed(BigInt(head + 1)))]);
      await store.close();
    };
    const served = async (url = near) => {
      const causes: unknown[] = [];
      const noticed = (message: string, details?: { cause?: unknown }) => {
        if (message === 'a new epoch has begun') causes.push(details?.cause);
      };
      const watcher = { lost() {}, impaired() {}, mended() {}, noticed };
      const store = await openPostgresStore(url, watcher, undefined, place);
      await store.close();
      return causes;
    };
    return { near, place, append, served };
  }

  it.each([false, true])('is begun once by accept-loss (away then: %s)', async (isAway) => {
    const { near, place, append, served } = await given();
    await append();
    await served();
    await lose(
      near,
      async () => {
        await append();
        await served();
      },
      1,
    );
    const { url, loseAnswer } = await behind(near);
    const isLost = loseAnswer('COMMIT\0', 'COMMIT', 'enter_epoch', isAway);
    const accepting = acceptLossInPostgres(url, place);
    if (isAway) {
      await expect(accepting).rejects.toThrow(unknown('a new epoch has begun', url));
    }
    const accepted = isAway ? await acceptLossInPostgres(near, place) : await accepting;
    isLost();
    expect(accepted).toMatchObject({ head: 1, epoch: expect.stringMatching(/^1\./) });
    if (isAway) expect(await acceptLossInPostgres(near, place)).toEqual(accepted);
    expect(await served()).toEqual([]);
    await expect(acceptLossInPostgres(near, place)).rejects.toThrow(/no loss to accept/);
    expect(await epochsIn(near)).toBe(1);
  });

  it('is begun once by a start, which reports it', async () => {
    const { near, append, served } = await given();
    await append();
    await sql(near, `UPDATE store_orders.store SET home = '1/1/1'`);
    const { url, loseAnswer } = await behind(near);
    const isLost = loseAnswer('COMMIT\0', 'COMMIT', 'enter_epoch');
    expect(await served(url)).toEqual([expect.stringMatching(/in the database 1\/1\/1/)]);
    isLost();
    expect(await epochsIn(near)).toBe(1);
  });
});

it('A migration whose commit is not answered is reported as made', async () => {
  const { url, loseAnswer } = await behind(await newDatabase(18, 'template1'));
  const isLost = loseAnswer('COMMIT\0', 'COMMIT');
  expect(await migrate(url, false)).toMatchObject({ from: 0, to: SCHEMA_VERSION });
  isLost();
});

describe('a copy', () => {
  async function given() {
    const [from, to] = [await newDatabase(), await newDatabase()];
    const store = await openPostgresForCommandLine(from);
    await store.log.append(
      0,
      (_, kept) => {
        kept.keep(KEPT);
        return [newEvent(placed(1n))];
      },
      [KEPT],
    );
    await store.keys.add(KEY);
    await store.refusals.append([refusal(1)]);
    await store.close();
    return { from: await behind(from), to: await behind(to), near: { from, to } };
  }

  async function copied(fromUrl: string, toUrl: string) {
    const from = await openPostgresOriginal(fromUrl);
    try {
      const to = await openPostgresCopy(toUrl, from.id);
      try {
        return await copyStore(from, to, () => {});
      } finally {
        await to.close();
      }
    } finally {
      await from.close();
    }
  }

  it.each([
    ['begin_copy', 'UPDATE 1'],
    ['COMMIT\0', 'COMMIT'],
    ['\0keep', 'INSERT 0 1'],
    ['add_key', 'INSERT 0 1'],
    ['finish_copy', 'UPDATE 1'],
  ])('goes on if the answer to %j is lost', async (sent, answer) => {
    const { from, to, near } = await given();
    const isLost = to.loseAnswer(sent, answer);
    expect(await copied(from.url, to.url)).toMatchObject({ size: 1 });
    isLost();
    expect(await epochsIn(near.to)).toBe(0);
  });

  it('goes on if the answer to the handover is lost', async () => {
    const { from, to, near } = await given();
    const isLost = from.loseAnswer('COMMIT\0', 'COMMIT', 'set_home');
    expect(await copied(from.url, to.url)).toMatchObject({ size: 1 });
    isLost();
    expect(await epochsIn(near.to)).toBe(0);
  });

  it('that was completed is known by the store that was handed over, until it is used', async () => {
    const { near } = await given();
    await copied(near.from, near.to);
    const from = await openPostgresOriginal(near.from);
    const again = openPostgresCopy(near.to, from.id);
    const { copyId = '' } = await again.then(
      () => expect.fail(),
      (error: StoreIsThere) => error,
    );
    expect([await from.wasHandedTo(copyId), await from.wasHandedTo('1/2/3')]).toEqual([
      true,
      false,
    ]);
    await from.close();
    const used = await openPostgresForCommandLine(near.to);
    await used.log.append(1, () => [newEvent(placed(2n))]);
    await used.close();
    await expect(openPostgresCopy(near.to, from.id)).rejects.toMatchObject({ copyId: undefined });
  });
});
