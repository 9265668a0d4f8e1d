import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { RecordTree } from '../../../src/app/audit/proofs/verifier.ts';
import { recordOf, type StoredFields } from '../../../src/app/log/recorded-event.ts';
import type { Fill } from '../../../src/app/ports/store.ts';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../../src/infra/postgres/event-log.ts';
import { readStored } from '../../../src/infra/postgres/stored-events.ts';
import { takeOver } from '../../../src/infra/postgres/take-over.ts';
import { newEvent, placed } from '../../support/events.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { Network } from '../../support/postgres/network.ts';
import { endOtherSessions, sql } from '../../support/postgres/sql.ts';
import { fillHonestly } from '../../support/tampering.ts';

/** The events that another store has recorded. */
let recorded: readonly StoredFields[];
const tree = new RecordTree();

beforeAll(async () => {
  const db = new Database(await newDatabase());
  const log = new PostgresEventLog(db);
  await fillHonestly(log);
  recorded = await readStored(db, 0, 1_000);
  for (const event of recorded) tree.add(recordOf(event));
  await log.close();
});

/** Adds all events, a few at a time. */
const all: Fill = async (add) => {
  for (let from = 0; from < recorded.length; from += 100) {
    await add(recorded.slice(from, from + 100));
  }
  return tree.head();
};

async function given(through = async (url: string) => url) {
  const url = await newDatabase();
  const db = new Database(await through(url));
  onTestFinished(() => db.close());
  return { url, db };
}

async function headOf(url: string): Promise<unknown> {
  const [row] = await sql<{ count: string; size: string }>(
    url,
    `SELECT (SELECT count(*) FROM store_orders.events),
            encode(substr((SELECT edge FROM store_orders.tree), 1, 8), 'hex') AS size`,
  );
  return { count: Number(row?.count), size: Number.parseInt(row?.size ?? '', 16) };
}

it('All events of another store are recorded as they were, and those who read go on meanwhile', async () => {
  const { url, db } = await given();
  await takeOver(db, async (add) => {
    const head = await all(add);
    expect(await headOf(url)).toEqual({ count: 0, size: 0 });
    return head;
  });
  expect(await headOf(url)).toEqual({ count: 700, size: 700 });
  expect(await readStored(db, 0, 1_000)).toStrictEqual(recorded);
});

it.each<[what: string, fill: Fill, message: string]>([
  [
    'what they come from fails',
    async (add) => {
      await add(recorded.slice(0, 300));
      throw new Error('the file is at its end');
    },
    'the file is at its end',
  ],
  [
    'their tree is another one',
    async (add) => ({ ...(await all(add)), root: Buffer.alloc(32) }),
    'the tree of these events is another one',
  ],
  [
    'there are fewer than are due',
    async (add) => {
      await add(recorded.slice(0, 300));
      return tree.head();
    },
    'the tree of these events is another one',
  ],
  [
    'the database refuses one',
    async (add) => {
      await add(recorded.slice(0, 300));
      await add(recorded.slice(400, 500));
      return all(add);
    },
    'events is append-only: the position is not the next',
  ],
])('None is recorded where %s, and the log is free at once', async (_, fill, message) => {
  const { url, db } = await given();
  await expect(takeOver(db, fill)).rejects.toThrow(message);
  expect(await headOf(url)).toEqual({ count: 0, size: 0 });
  const log = new PostgresEventLog(db);
  expect((await log.append(0, () => [newEvent(placed(1n))])).kind).toBe('appended');
});

it('None is recorded where the session is ended in the middle', async () => {
  const { url, db } = await given();
  const ended = takeOver(db, async (add) => {
    await add(recorded.slice(0, 300));
    await endOtherSessions(url);
    await add(recorded.slice(300));
    return tree.head();
  });
  await expect(ended).rejects.toThrow();
  expect(await headOf(url)).toEqual({ count: 0, size: 0 });
});

it('If the answer to the commit is lost, the import is not reported as failed', async () => {
  let network: Network | undefined;
  const { url, db } = await given(async (direct) => {
    network = await Network.start(Number(new URL(direct).port));
    return network.through(direct);
  });
  onTestFinished(async () => network?.[Symbol.asyncDispose]());
  if (network === undefined) expect.fail();
  let isCommitted = false;
  network.fromClient = (bytes) => {
    // With the end of the text: READ COMMITTED is something else.
    isCommitted ||= bytes.includes('COMMIT\0');
    return 'pass';
  };
  network.fromServer = () => (isCommitted ? 'cut' : 'pass');
  await expect(takeOver(db, all)).rejects.toThrow(
    /^Whether the events were recorded is not known: .*\. Run it again\.$/,
  );
  expect(await headOf(url)).toEqual({ count: 700, size: 700 });
  network.fromServer = () => 'pass';
  await expect(takeOver(db, all)).rejects.toThrow('The store has 700 events');
});
