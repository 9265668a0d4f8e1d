import { chmodSync, copyFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { noteEpoch, readNotedEpoch } from '../../../src/infra/head/notes.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { beginDueEpoch } from '../../../src/infra/sqlite/epochs-table.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { contradictionIn, headFileOf, readHeadOf } from '../../../src/infra/sqlite/head-file.ts';
import { readLog } from '../../../src/infra/sqlite/start/guard.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { startProgram } from '../../support/child.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { watcher } from '../../support/watcher.ts';

const PLANTED = /has the statement of epoch 1, and .*-head ends with epoch 0: either/;

type Open = ReturnType<typeof openSqliteForCommandLine>;

async function using<Result>(file: string, use: (store: Open) => Promise<Result>) {
  const store = openSqliteForCommandLine(file);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A closed store of five events, a backup of it, and the store with two more. */
async function stores() {
  const file = temporaryFile();
  const backup = join(temporaryFolder(), 'backup.db');
  const add = (ids: readonly bigint[]) =>
    using(file, async ({ log }) => {
      await log.append(await log.head(), () => ids.map((id) => newEvent(placed(id))));
    });
  await add([1n, 2n, 3n, 4n, 5n]);
  await using(file, (store) => store.backup(backup));
  await add([6n, 7n]);
  return { file, backup };
}

/** The statement of a genuine break of the same log, as a restored backup has it. */
async function genuineStatement(backup: string): Promise<string> {
  const restored = join(temporaryFolder(), 'restored.db');
  copyFileSync(backup, restored);
  return using(restored, async ({ log }) => {
    await log.append(5, () => [newEvent(placed(8n))]);
    const db = new Database(restored, { readonly: true });
    const statement = db.prepare('SELECT statement FROM epochs').pluck().get() as string;
    db.close();
    return statement;
  });
}

function plant(file: string, statement: string): void {
  const db = new Database(file);
  db.prepare('INSERT INTO epochs VALUES (1, ?)').run(statement);
  db.close();
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const evidence = openSqliteEvidence(file);
  const { findings } = await verifyStore(evidence, [], async () => {});
  evidence.close();
  return findings.map(({ problem }) => problem);
}

describe('a statement that the log was cut', () => {
  it('is damage if nobody has noted it before: no trigger refuses to insert it', async () => {
    const { file, backup } = await stores();
    plant(file, await genuineStatement(backup));
    expect(await problemsOf(file)).toEqual([expect.stringMatching(PLANTED)]);
    expect(() => openSqliteForCommandLine(file)).toThrow(PLANTED);
    await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(PLANTED);
    // It names the position up to which another log has the same events.
    await acceptLossInSqlite(file);
    expect(await problemsOf(file)).toEqual([]);
    expect(await using(file, async ({ epochs }) => epochs.number)).toBe(2);
  });

  it('is damage if another one was noted', async () => {
    const { file, backup } = await stores();
    const head = readHeadOf(file) ?? expect.fail();
    noteEpoch(headFileOf(file), { ...head, epoch: `1.${'a'.repeat(32)}` });
    expect(await problemsOf(file)).toEqual([]);
    plant(file, await genuineStatement(backup));
    expect(await problemsOf(file)).toEqual([expect.stringMatching(PLANTED)]);
    expect(() => openSqliteForCommandLine(file)).toThrow(PLANTED);
  });

  it('is damage that a server notices while it runs', async () => {
    const { file, backup } = await stores();
    const statement = await genuineStatement(backup);
    const impaired = Promise.withResolvers<readonly [string, string]>();
    const given = watcher({ impaired: (what, { message }) => impaired.resolve([what, message]) });
    const store = await openSqliteStore(file, given);
    plant(file, statement);
    expect(await impaired.promise).toEqual([
      'store_damaged',
      'the log was in epoch 0, and has 1 statements of epochs',
    ]);
    await store.close();
  });
});

it('an epoch is noted beside the head in a file that is read-only', async () => {
  const { file } = await stores();
  const headFile = headFileOf(file);
  const head = readHeadOf(file) ?? expect.fail();
  chmodSync(headFile, 0o400);
  const begun = { ...head, epoch: `1.${'a'.repeat(32)}` };
  noteEpoch(headFile, begun);
  expect([readHeadOf(file), readNotedEpoch(headFile)]).toEqual([head, begun]);
  // The server appends to it afterwards.
  expect(statSync(headFile).mode & 0o777).toBe(0o600);
});

it('the beginning of an epoch is completed under the lock of appends', async () => {
  const { backup } = await stores();
  const head = headFileOf(backup);
  const first = new Database(backup);
  const { id } = beginDueEpoch(backup, first);
  first.close();
  const begun = readHeadOf(backup) ?? expect.fail();
  // As it is behind the commit.
  rmSync(head);
  noteEpoch(head, begun);
  const [other, db] = [new Database(backup), new Database(backup, { timeout: 0 })];
  other.exec('BEGIN IMMEDIATE');
  expect(() => beginDueEpoch(backup, db)).toThrow('database is locked');
  expect(readHeadOf(backup)).toBeUndefined();
  // The other process completes it, and appends.
  other.exec('ROLLBACK');
  beginDueEpoch(backup, other);
  expect(readHeadOf(backup)).toEqual(begun);
  replaceHeadFile(head, { ...begun, position: 6, root: undefined });
  expect(beginDueEpoch(backup, db).id).toBe(id);
  expect(readHeadOf(backup)).toMatchObject({ epoch: id, position: 6 });
  for (const each of [other, db]) each.close();
});

it('a backup is opened that another process continues between the looks at it', async () => {
  const { backup } = await stores();
  let looks = 0;
  const found = contradictionIn(backup, (at) => {
    looks += 1;
    if (looks === 1) {
      const db = new Database(backup);
      beginDueEpoch(backup, db);
      db.close();
    }
    return readLog(backup, at);
  });
  expect([found, looks]).toEqual([undefined, 2]);
});

/** Continues the store of a file in a new epoch, and kills the process at its nth write. */
async function continuedUntil(file: string, how: string, nth: number): Promise<boolean> {
  const child = startProgram('begin-epoch', file, how, String(nth));
  return (await child.line()) === 'done';
}

/** Each is killed some 13 times; by day the first one alone, and behind the commit at each third of them. */
const BEGUN = [
  ['a backup beside the head of more events', 'restore'],
  ['a backup alone', 'restore'],
  ['a store that has lost its end', 'accept-loss'],
] as const;

describe.each(isNightly ? BEGUN : BEGUN.slice(0, 1))('the new epoch of %s', (what, how) => {
  async function given(): Promise<string> {
    const { file, backup } = await stores();
    const there = temporaryFile();
    copyFileSync(backup, there);
    if (what !== 'a backup alone') copyFileSync(headFileOf(file), headFileOf(there));
    if (how === 'restore') return there;
    const db = new Database(there);
    db.exec('UPDATE store SET is_copy = 0');
    db.close();
    return there;
  }

  it('begins once, whenever the process that begins it is killed', {
    timeout: 300_000,
  }, async () => {
    let [isDone, wasBegun, wasNoted] = [false, 0, 0];
    for (let nth = 1; !isDone; nth += isNightly || wasBegun === 0 ? 1 : 3) {
      const file = await given();
      isDone = await continuedUntil(file, how, nth);
      const noted = readNotedEpoch(headFileOf(file))?.epoch;
      const db = new Database(file, { readonly: true });
      const begun = db.prepare('SELECT count(*) FROM epochs').pluck().get();
      db.close();
      if (begun === 1 && noted !== undefined) wasBegun += 1;
      if (begun === 0 && noted !== undefined) wasNoted += 1;
      const isWaiting = how === 'accept-loss' && begun === 0;
      expect(await problemsOf(file), `${nth}`).toHaveLength(isWaiting ? 1 : 0);
      if (isWaiting) await acceptLossInSqlite(file);
      const epochs = await using(file, async ({ log }) => {
        const appended = await log.append(await log.head(), () => [newEvent(placed(100n))]);
        expect(appended.kind).toBe('appended');
        return openEpochs(file);
      });
      expect(epochs.number).toBe(1);
      expect(readHeadOf(file)).toMatchObject({ epoch: epochs.id, highestId: expect.any(BigInt) });
      expect(readNotedEpoch(headFileOf(file))).toBeUndefined();
      expect(await problemsOf(file), `${nth}`).toEqual([]);
    }
    // Both sides of the commit were among these moments.
    expect([wasNoted > 0, wasBegun > 0]).toEqual([true, true]);
  });
});

function openEpochs(file: string) {
  const evidence = openSqliteEvidence(file);
  evidence.close();
  return evidence.epochs;
}
