import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { breaksIn } from '../../support/breaks.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';

/** A closed store of one event, with its head file beside it. */
async function closedStore(): Promise<string> {
  const file = temporaryFile();
  await append(file, 1n);
  return file;
}

async function append(file: string, id: bigint): Promise<void> {
  const store = openSqliteForCommandLine(file);
  const seen = await store.log.head();
  const result = await store.log.append(seen, () => [newEvent(placed(id))]);
  expect(result.kind).toBe('appended');
  await store.close();
}

async function backupOf(file: string): Promise<string> {
  const to = join(temporaryFolder(), 'backup.db');
  const store = openSqliteForCommandLine(file);
  await store.backup(to);
  await store.close();
  return to;
}

function mark(file: string, value: number): void {
  tamper(file, (db) => void db.prepare('UPDATE store SET is_copy = ?').run(value));
}

function markOf(file: string): number {
  const db = new Database(file, { readonly: true });
  const value = db.prepare('SELECT is_copy FROM store').pluck().get() as number;
  db.close();
  return value;
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const evidence = openSqliteEvidence(file);
  const { findings } = await verifyStore(evidence, [], async () => {});
  evidence.close();
  return findings.map(({ problem }) => problem);
}

/** The number of bits in which two numbers differ. */
function distance(one: number, other: number): number {
  const bits = (BigInt(one) ^ BigInt(other)).toString(2);
  return bits.replaceAll('0', '').length;
}

describe('the record of epochs', () => {
  it.each([2, 0, 2 ** 40])(
    'that has the number %d instead of 1 is found, in a backup as well',
    async (number) => {
      const file = await closedStore();
      const backup = await backupOf(file);
      await append(backup, 2n);
      const open = openSqliteForCommandLine(backup);
      tamper(backup, (db) => void db.prepare('UPDATE epochs SET number = ?').run(number));
      const says = 'the statement of epoch 1 is recorded under another number';
      expect(await problemsOf(backup)).toEqual([says]);
      await expect(checkSqliteStore(backup, async () => {})).rejects.toThrow(says);
      await expect(open.backup(join(temporaryFolder(), 'copy.db'))).rejects.toThrow(says);
      await open.close();
      const start = () => openSqliteForCommandLine(backup);
      expect(start).toThrow(`The store is damaged: ${says}.`);
      await expect(acceptLossInSqlite(backup)).rejects.toThrow(`The store is damaged: ${says}.`);
    },
  );

  it('that lacks the statement of the epoch of its head file is found', async () => {
    const backup = await backupOf(await closedStore());
    await append(backup, 2n);
    tamper(backup, (db) => void db.exec('DELETE FROM epochs'));
    expect(await problemsOf(backup)).toEqual([
      expect.stringMatching(
        /-head is of epoch 1\.[0-9a-f]{32}, of which this log has no statement$/,
      ),
    ]);
  });
});

describe('the mark of a store as a copy', () => {
  it('of an older version is no reason for a new epoch where the head file contradicts it', async () => {
    const file = await closedStore();
    mark(file, 1);
    const says = /is marked as a backup, and its log has all that was acknowledged .* position 1,/;
    expect(() => openSqliteForCommandLine(file)).toThrow(says);
    expect(await problemsOf(file)).toEqual([expect.stringMatching(says)]);
    await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(says);
    expect(breaksIn(file)).toEqual([]);
    await acceptLossInSqlite(file);
    await append(file, 2n);
    expect(breaksIn(file)).toMatchObject([{ reason: 'loss_accepted', position: 1 }]);
    expect(await problemsOf(file)).toEqual([]);
  });

  it('of an older version counts beside a head of more events, and without one', async () => {
    for (const isHeadThere of [true, false]) {
      const file = await closedStore();
      const old = join(temporaryFolder(), 'old.db');
      copyFileSync(file, old);
      await append(file, 2n);
      copyFileSync(old, file);
      mark(file, 1);
      if (!isHeadThere) rmSync(headFileOf(file));
      expect(await problemsOf(file)).toEqual([]);
      await append(file, 3n);
      expect(breaksIn(file)).toMatchObject([{ reason: 'copy_continued', position: 1 }]);
    }
  });

  it('counts in a backup of the last position, which is restored beside its head file', async () => {
    const file = await closedStore();
    copyFileSync(await backupOf(file), file);
    expect(await problemsOf(file)).toEqual([]);
    await append(file, 2n);
    expect(breaksIn(file)).toMatchObject([{ reason: 'copy_continued', position: 1 }]);
  });

  it('is the reason that the log of a server has for the new epoch', async () => {
    const file = await closedStore();
    const causes: unknown[] = [];
    const serve = async (served: string) => {
      const watcher = {
        lost() {},
        impaired() {},
        noticed: (message: string, { cause }: { cause?: string }) => causes.push([message, cause]),
      };
      const store = await openSqliteStore(served, watcher);
      await store.close();
    };
    await serve(file);
    expect(causes).toEqual([]);
    const backup = await backupOf(file);
    await serve(backup);
    mark(file, 2);
    await serve(file);
    expect(causes).toEqual([
      ['a new epoch has begun', 'the store is a backup'],
      ['a new epoch has begun', 'the store was handed over'],
    ]);
  });

  it('counts in a store that was handed over, by any version', async () => {
    const file = await closedStore();
    mark(file, 2);
    await append(file, 2n);
    expect(breaksIn(file)).toMatchObject([{ reason: 'copy_continued', position: 1 }]);
  });

  it('is damage if it is none that was ever written', async () => {
    const backup = markOf(await backupOf(await closedStore()));
    for (const value of [3, -1, 1_000, backup + 1]) {
      const file = await closedStore();
      mark(file, value);
      const says = /the mark of the store as a copy is damaged/;
      expect(() => openSqliteForCommandLine(file)).toThrow(says);
      expect(await problemsOf(file)).toContainEqual(expect.stringMatching(says));
      await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(says);
      expect(breaksIn(file)).toEqual([]);
    }
  });

  it('is many bits away from none, and from those of older versions', async () => {
    const backup = markOf(await backupOf(await closedStore()));
    for (const other of [0, 1, 2]) expect(distance(backup, other)).toBeGreaterThan(8);
  });
});
