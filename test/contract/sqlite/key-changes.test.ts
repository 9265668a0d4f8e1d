import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { readKeyChanges } from '../../../src/infra/head/notes.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { LATER, NOON, newEvent, placed } from '../../support/events.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';

const ID = 'AbCdEfGh01';
const LOST =
  /has 1 changes of API keys, and 2 were acknowledged, .*: a revocation may be among those/;

type Open = ReturnType<typeof openSqliteForCommandLine>;

async function using(file: string, use: (store: Open) => Promise<unknown>): Promise<void> {
  const store = openSqliteForCommandLine(file);
  await use(store);
  await store.close();
}

/** A closed store of one event and one key. */
async function storeWithKey(): Promise<string> {
  const file = temporaryFile();
  await using(file, async ({ log, keys }) => {
    await log.append(0, () => [newEvent(placed(1n))]);
    const key = { id: ID, name: 'shop', hash: randomBytes(32), createdAt: NOON } as const;
    expect(await keys.add({ ...key, scopes: ['orders:read'] })).toBe(true);
  });
  return file;
}

/** Revokes the key, and returns a function that undoes that in the store's file alone. */
async function revoked(file: string): Promise<() => void> {
  const before = join(temporaryFolder(), 'before.db');
  copyFileSync(file, before);
  await using(file, async ({ keys }) => expect(await keys.revoke(ID, LATER)).toBe(true));
  return () => copyFileSync(before, file);
}

async function notedIn(file: string): Promise<number | undefined> {
  const store = openSqliteForCommandLine(file);
  await store.close();
  return readKeyChanges(headFileOf(file), store.id);
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const evidence = openSqliteEvidence(file);
  const { findings } = await verifyStore(evidence, [], async () => {});
  evidence.close();
  return findings.map(({ problem }) => problem);
}

describe('changes of API keys', () => {
  it('are missed by the next start, the repeated check and verify', async () => {
    const file = await storeWithKey();
    const lose = await revoked(file);
    expect(await problemsOf(file)).toEqual([]);
    lose();
    expect(() => openSqliteForCommandLine(file)).toThrow(LOST);
    await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(LOST);
    expect(await problemsOf(file)).toEqual([expect.stringMatching(LOST)]);
    await acceptLossInSqlite(file);
    expect(await notedIn(file)).toBe(1);
    expect(await problemsOf(file)).toEqual([]);
  });

  it('are missed after damage at the very end of the -wal file', async () => {
    for (const damage of ['a bit', 'the end']) {
      const [file, crashed] = [await storeWithKey(), join(temporaryFolder(), 'crashed.db')];
      await using(file, async ({ keys }) => {
        await keys.revoke(ID, LATER);
        for (const end of ['', '-wal', '-head']) copyFileSync(file + end, crashed + end);
      });
      const wal = readFileSync(`${crashed}-wal`);
      wal[wal.length - 200] = (wal[wal.length - 200] as number) ^ 1;
      if (damage === 'a bit') writeFileSync(`${crashed}-wal`, wal);
      else truncateSync(`${crashed}-wal`, wal.length - 100);
      expect(() => openSqliteForCommandLine(crashed), damage).toThrow(LOST);
    }
  });

  it('may be missing in a backup, and are counted anew once it is continued', async () => {
    const file = await storeWithKey();
    const backup = join(temporaryFolder(), 'backup.db');
    await using(file, (store) => store.backup(backup));
    await revoked(file);
    for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
    copyFileSync(backup, file);
    await using(file, async ({ keys, log }) => {
      expect(await keys.revoke(ID, LATER)).toBe(true);
      await log.append(1, () => [newEvent(placed(2n))]);
    });
    expect(await notedIn(file)).toBe(2);
    expect(await problemsOf(file)).toEqual([]);
  });

  it('are noted by the next start where they were not, as by an older version', async () => {
    const file = await storeWithKey();
    truncateSync(headFileOf(file), 1_024);
    expect(await problemsOf(file)).toEqual([]);
    expect(await notedIn(file)).toBe(1);
    const damaged = readFileSync(headFileOf(file));
    damaged[1_030] = (damaged[1_030] as number) ^ 1;
    writeFileSync(headFileOf(file), damaged);
    expect(await problemsOf(file)).toEqual([]);
    expect(await notedIn(file)).toBe(1);
  });
});
