import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLOCKS } from '../../../src/app/clock.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { Store } from '../../../src/app/ports/store.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { readHeadFile } from '../../../src/infra/head/head-file.ts';
import { acceptLossInPostgres } from '../../../src/infra/postgres/accept-loss.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import {
  openPostgresForCommandLine,
  openPostgresStore,
} from '../../../src/infra/postgres/store.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { endOtherSessions, lose, sql, tamper } from '../../support/postgres/sql.ts';

const watcher = { lost() {}, impaired() {}, mended() {}, noticed() {} };
const command = { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 } as const;
const place: Submission = { command, by: 'key', commandId: 'command' };

/** An instance, which has its head file in a folder, for as long as it is used. */
async function served<Result>(
  url: string,
  file: string,
  use: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openPostgresStore(url, watcher, undefined, () => file);
  try {
    const list = new OrderList(() => null);
    for await (const events of store.log.read(0)) for (const event of events) list.fold(event);
    await store.begin(Writer.startOf(list));
    return await use(store);
  } finally {
    await store.close();
  }
}

async function idsOf(store: Store, count: number): Promise<bigint[]> {
  const outcomes = await store.writer.execute(Array.from({ length: count }, () => place));
  return outcomes.map((outcome) => (outcome.kind === 'accepted' ? outcome.orderId : -1n));
}

/** A copy of a database as it is now, and what puts it in the place of the database. */
async function copyOf(url: string) {
  const name = new URL(url).pathname.slice(1);
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const copy = new URL(await newDatabase(18, name)).pathname.slice(1);
  return async () => {
    await sql(admin.href, `ALTER DATABASE ${name} RENAME TO ${name}_lost`);
    await sql(admin.href, `ALTER DATABASE ${copy} RENAME TO ${name}`);
  };
}

describe('an instance that starts on a log that lost events', () => {
  it('is refused by its head file, until the loss is accepted', async () => {
    const url = await newDatabase();
    const file = join(temporaryFolder(), 'head');
    expect(await served(url, file, (store) => idsOf(store, 2))).toStrictEqual([1n, 2n]);
    await lose(url, () => served(url, file, (store) => idsOf(store, 2)), 2);
    for (const open of [
      () => served(url, file, async () => 0),
      () => openPostgresForCommandLine(url, undefined, () => file),
    ]) {
      await expect(open()).rejects.toThrow(/ends at position 2, but position 4 was acknowledged/);
    }
    const accepted = await acceptLossInPostgres(url, () => file);
    expect(accepted).toMatchObject({ head: 2, epoch: expect.stringMatching(/^1\.[0-9a-f]{32}$/) });
    await expect(acceptLossInPostgres(url, () => file)).rejects.toThrow(/no loss to accept/);
    const [id = 0n] = await served(url, file, async (store) => {
      expect(store.epochs.id).toBe(accepted.epoch);
      expect(store.epochs.breaks[0]).toMatchObject({ position: 2, known: { position: 4 } });
      return idsOf(store, 1);
    });
    expect(id).toBeGreaterThan(1_000_000_000n);
  });

  it('has to be restarted if it was open before, when it connects again', async () => {
    const url = await newDatabase();
    const file = join(temporaryFolder(), 'head');
    await served(url, file, (store) => idsOf(store, 2));
    const replaced: Error[] = [];
    const log = new PostgresEventLog(new Database(url), {
      epoch: 0,
      replaced: (cause) => replaced.push(cause),
    });
    onTestFinished(() => log.close());
    const append = () => log.append(2, () => [newEvent(placed(9n))]);
    expect(await log.head()).toBe(2);
    await lose(url, () => served(url, file, (store) => idsOf(store, 2)), 2);
    await acceptLossInPostgres(url, () => file);
    await endOtherSessions(url);
    const timesTold = async () => {
      await append();
      return replaced.length;
    };
    await expect.poll(timesTold, { timeout: 20_000 }).toBe(1);
    const refused = await append();
    expect(refused.kind).toBe('unavailable');
    expect(String('cause' in refused && refused.cause)).toContain(
      'it continues in epoch 1: restart this instance',
    );
    await served(url, file, async (store) => expect(await store.log.head()).toBe(2));
  });

  it('is told of damage if it meets an epoch that nobody has begun', async () => {
    const url = await newDatabase();
    const damage: Error[] = [];
    const log = new PostgresEventLog(new Database(url), {
      epoch: 0,
      damaged: (cause) => damage.push(cause),
    });
    onTestFinished(() => log.close());
    expect(await log.head()).toBe(0);
    await sql(url, `INSERT INTO store_orders.epochs VALUES (1, 'garbage')`);
    await endOtherSessions(url);
    const causes = async () => {
      await log.append(0, () => [newEvent(placed(9n))]);
      return damage.map(({ message }) => message);
    };
    await expect.poll(causes).toContain('the statement of epoch 1 is not whole');
  });

  it('is refused if the log has diverged', async () => {
    const url = await newDatabase();
    const [file, other] = [join(temporaryFolder(), 'one'), join(temporaryFolder(), 'two')];
    await served(url, file, (store) => idsOf(store, 2));
    await served(url, other, (store) => idsOf(store, 1));
    await lose(url, () => served(url, file, (store) => idsOf(store, 2)), 2);
    await served(url, other, (store) => idsOf(store, 5));
    await expect(served(url, file, async () => 0)).rejects.toThrow(
      /is not the log whose position 5/,
    );
    await acceptLossInPostgres(url, () => file);
    // The other was told of less than was given up.
    await served(url, other, async (store) => expect(store.epochs.number).toBe(1));
  });

  it('notes the events of other instances before it returns them', async () => {
    const url = await newDatabase();
    const [file, other] = [join(temporaryFolder(), 'one'), join(temporaryFolder(), 'two')];
    await served(url, file, async (store) => {
      await served(url, other, (second) => idsOf(second, 3));
      expect((await store.trail.treeHead()).size).toBe(3);
      expect(readHeadFile(file)?.position).toBe(3);
    });
  });

  it('reports if there was no head file, or cannot be one', async () => {
    const url = await newDatabase();
    const file = join(temporaryFolder(), 'head');
    expect(await served(url, file, async ({ notice }) => notice)).toMatch(/there was no /);
    await served(url, file, (store) => idsOf(store, 1));
    expect(await served(url, file, async ({ notice }) => notice)).toBeUndefined();
    const nowhere = join(file, 'below-a-file');
    expect(await served(url, nowhere, async ({ notice }) => notice)).toMatch(/cannot be written/);
    await expect(acceptLossInPostgres(url, () => nowhere)).rejects.toThrow(/There is no /);
    rmSync(file);
    await served(url, file, (store) => idsOf(store, 1));
    expect(existsSync(file)).toBe(true);
  });
});

describe('a store whose id was changed', () => {
  const OTHER = 'bbbbbbbbbbbbbbbb';
  const change = (url: string, id: string) => tamper(url, `UPDATE store SET id = '${id}'`);

  it('is refused by the head file that it had, also without its tail', async () => {
    const [url, folder] = [await newDatabase(), temporaryFolder()];
    const at = (id: string) => join(folder, `postgres-${id}-head`);
    const open = () => openPostgresStore(url, watcher, undefined, at);
    const started = async () => {
      const store = await open();
      await store.close();
      return store;
    };
    const { id, notice } = await started();
    expect(notice).toBe(`there was no ${at(id)}: events lost before this start cannot be detected`);
    await served(url, at(id), (store) => idsOf(store, 2));
    await lose(url, () => served(url, at(id), (store) => idsOf(store, 1)), 1);
    await change(url, OTHER);
    const says = `has the id ${OTHER}, and had the id ${id} up to position 3, according to ${at(id)}`;
    await expect(open()).rejects.toThrow(says);
    await expect(openPostgresForCommandLine(url, undefined, at)).rejects.toThrow(says);
    const named = openPostgresStore(url, watcher, undefined, () => at(id));
    await expect(named).rejects.toThrow('is not the log whose position 3 was acknowledged');
    await change(url, id);
    await expect(open()).rejects.toThrow('ends at position 2, but position 3 was acknowledged');
  });

  it('is not taken for another store in another database, whose head file is named', async () => {
    const folder = temporaryFolder();
    const at = (id: string) => join(folder, `postgres-${id}-head`);
    const first = await openPostgresStore(await newDatabase(), watcher, undefined, at);
    await first.begin(Writer.startOf(new OrderList(() => null)));
    await idsOf(first, 1);
    await first.close();
    const url = await newDatabase();
    await sql(url, `UPDATE store_orders.store SET id = '${OTHER}'`);
    const second = await openPostgresStore(url, watcher, undefined, at);
    await second.close();
    expect(second.notice).toContain(`there was no ${at(second.id)}, but ${at(first.id)}: events`);
  });

  it('is refused by the instance that serves it, until it has its id again', async () => {
    const [url, file] = [await newDatabase(), join(temporaryFolder(), 'head')];
    const heard: string[] = [];
    const said = { ...watcher, impaired: (_: string, { message }: Error) => heard.push(message) };
    const store = await openPostgresStore(url, said, undefined, () => file);
    await store.begin(Writer.startOf(new OrderList(() => null)));
    expect(await idsOf(store, 1)).toEqual([1n]);
    await change(url, OTHER);
    await expect
      .poll(() => heard, { timeout: 20_000 })
      .toContain(
        'the log lacks acknowledged events up to position 1: ' +
          `it is of the store ${OTHER}, and this instance serves ${store.id}`,
      );
    expect(await store.writer.execute([place])).toMatchObject([{ kind: 'unavailable' }]);
    await change(url, store.id);
    await expect.poll(() => idsOf(store, 1), { timeout: 20_000 }).toEqual([2n]);
    await store.close();
  });
});

describe('a copy of a database', () => {
  it('begins a new epoch with the first instance that continues it, and none for readers', async () => {
    const url = await newDatabase();
    const file = join(temporaryFolder(), 'head');
    await served(url, file, (store) => idsOf(store, 2));
    const restore = await copyOf(url);
    await restore();
    const reader = await openPostgresForCommandLine(url);
    expect(reader.epochs.number).toBe(0);
    await reader.close();
    const tool = await openPostgresForCommandLine(url);
    const event = newEvent(placed(7n));
    expect(await tool.log.append(2, () => [event])).toMatchObject({ kind: 'appended' });
    await tool.close();
    const epochs = await served(url, file, async (store) => store.epochs);
    expect(epochs.breaks).toMatchObject([{ reason: 'copy_continued', position: 2 }]);
    expect(await served(url, file, async (store) => store.epochs.id)).toBe(epochs.id);
    expect(CLOCKS.wall()).toBeGreaterThan(Date.parse(epochs.breaks[0]?.at ?? ''));
  });
});
