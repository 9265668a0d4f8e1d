import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import type { AcknowledgedHead } from '../../../src/app/log/acknowledged-head.ts';
import { Epochs } from '../../../src/app/log/epochs.ts';
import { HeadFile, readHeadFile, replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { UNKNOWN_ROOT } from '../../../src/infra/head/head-records.ts';
import { noteEpoch } from '../../../src/infra/head/notes.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { headFileOf, type Log, refuseOtherLog } from '../../../src/infra/sqlite/head-file.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { breaksIn } from '../../support/breaks.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';

const EPOCH = /^[1-9]\d*\.[0-9a-f]{32}$/;
const STORE = '0123456789abcdef';
const [ROOT, OTHER_ROOT] = ['a'.repeat(64), 'b'.repeat(64)];

function log(position: number, more: Partial<Log> = {}): () => Log {
  const epochs = new Epochs(STORE);
  const log = { storeId: STORE, epochs, position, root: undefined, isCopy: false, hasHead: true };
  return () => ({ ...log, ...more });
}

/** The file of a store whose head was written so. */
function headed(...heads: readonly [position: number, root: string][]): string {
  const file = temporaryFile();
  const head = new HeadFile(headFileOf(file), STORE);
  for (const [position, root] of heads) head.write({ position, root });
  head.close();
  return file;
}

/** Returns the head in a file that has one. */
function noted(name: string): AcknowledgedHead {
  const found = readHeadFile(name);
  if (found === undefined) throw new Error(`${name} has no head`);
  return found;
}

/** A store with so many events, closed. */
async function storeWith(events: number, file = temporaryFile(), above = 0): Promise<string> {
  const store = openSqliteForCommandLine(file);
  const seen = await store.log.head();
  for (let n = 1; n <= events; n++) {
    await store.log.append(seen + n - 1, () => [newEvent(placed(BigInt(above + seen + n)))]);
  }
  await store.close();
  return file;
}

/** A store that has lost the last of its events, and a copy of what is left. */
async function cutStore(left: number, lost: number): Promise<{ file: string; old: string }> {
  const file = await storeWith(left);
  const old = join(temporaryFolder(), 'old.db');
  copyFileSync(file, old);
  await storeWith(lost, file);
  copyFileSync(old, file);
  return { file, old };
}

describe('the head of a log, outside the database', () => {
  it('refuses a log that is shorter, and takes one that is as long or longer', () => {
    const file = headed([7, UNKNOWN_ROOT], [9, UNKNOWN_ROOT], [12, UNKNOWN_ROOT]);
    expect(() => refuseOtherLog(file, log(11))).toThrow(UserError);
    expect(() => refuseOtherLog(file, log(11))).toThrow(
      /ends at position 11, but position 12 was acknowledged.*: store-orders accept-loss$/,
    );
    expect(() => refuseOtherLog(file, log(0, { storeId: undefined }))).toThrow(/position 0/);
    for (const position of [12, 13, 1_000]) refuseOtherLog(file, log(position));
  });

  it('takes a shorter log that is a backup, which begins an epoch, of the same store alone', () => {
    const file = headed([12, ROOT]);
    refuseOtherLog(file, log(11, { isCopy: true }));
    refuseOtherLog(file, log(12, { isCopy: true, root: OTHER_ROOT }));
    for (const position of [11, 12, 13]) {
      const other = log(position, { isCopy: true, storeId: 'fedcba9876543210', root: ROOT });
      expect(() => refuseOtherLog(file, other)).toThrow(UserError);
    }
  });

  it('keeps the highest head, in whatever order heads are noted, and by whichever process', () => {
    const positions = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(positions, fc.array(fc.boolean()), (noted, byOther) => {
        const file = temporaryFile();
        const processes = [1, 2].map(() => new HeadFile(headFileOf(file), STORE));
        for (const [index, position] of noted.entries()) {
          processes[byOther[index] ? 1 : 0]?.write({ position, root: UNKNOWN_ROOT });
        }
        for (const each of processes) each.close();
        const highest = Math.max(...noted);
        refuseOtherLog(file, log(highest));
        expect(() => refuseOtherLog(file, log(highest - 1))).toThrow(`position ${highest} was`);
      }),
    );
  });

  it('keeps the highest id, in whatever order heads are noted, and by whichever process', () => {
    const notes = fc.array(
      fc.record(
        {
          by: fc.nat(2),
          position: fc.integer({ min: 1, max: 9 }),
          id: fc.bigInt({ min: 0n, max: 9n }),
        },
        { noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 8 },
    );
    fc.assert(
      fc.property(notes, (noted) => {
        const name = headFileOf(temporaryFile());
        const processes = [0, 1, 2].map(() => new HeadFile(name, STORE));
        let [reached, highestId] = [0, 0n];
        for (const { by, position, id } of noted) {
          processes[by]?.write({ position, root: ROOT }, id);
          reached = Math.max(reached, position);
          highestId = id > highestId ? id : highestId;
          const whole = { storeId: STORE, epoch: '0', root: ROOT, position: reached };
          expect(readHeadFile(name)).toStrictEqual({ ...whole, reached, highestId });
        }
        for (const each of processes) each.close();
      }),
    );
  });

  it.runIf(canMount)('has the ids of a head that could not be noted at first', () => {
    const disk = new SmallDisk(64);
    const name = join(disk.folder, 'store-head');
    const head = new HeadFile(name, STORE);
    disk.fill();
    head.tryToWrite({ position: 1, root: ROOT }, 7n);
    expect(head.unwritten).toMatchObject({ code: 'ENOSPC' });
    expect(() => head.writeIfDue()).toThrow('ENOSPC');
    expect(readHeadFile(name)).toBeUndefined();
    head.tryToWrite({ position: 2, root: ROOT }, 5n);
    disk.free();
    head.writeIfDue();
    expect(head.unwritten).toBeUndefined();
    const noted = {
      storeId: STORE,
      epoch: '0',
      position: 2,
      root: ROOT,
      reached: 2,
      highestId: 7n,
    };
    expect(readHeadFile(name)).toStrictEqual(noted);
    head.writeIfDue();
    head.close();
  });

  it('refuses another store, and a log with another root at the same position', () => {
    const file = headed([12, ROOT]);
    refuseOtherLog(file, log(12, { root: ROOT }));
    refuseOtherLog(file, log(12, { root: undefined }));
    refuseOtherLog(file, log(20, { root: ROOT }));
    const other = /is not the log whose position 12 was acknowledged/;
    expect(() => refuseOtherLog(file, log(12, { root: OTHER_ROOT }))).toThrow(other);
    expect(() => refuseOtherLog(file, log(20, { root: OTHER_ROOT }))).toThrow(other);
    expect(() => refuseOtherLog(file, log(20, { storeId: 'fedcba9876543210' }))).toThrow(other);
    refuseOtherLog(headed([12, UNKNOWN_ROOT]), log(12, { root: ROOT }));
  });

  it('is read before the log, because another process may be appending', () => {
    const file = headed([1, UNKNOWN_ROOT]);
    refuseOtherLog(file, () => {
      const head = new HeadFile(headFileOf(file), STORE);
      head.write({ position: 2, root: UNKNOWN_ROOT });
      head.close();
      return log(1)();
    });
  });

  it('never decreases, whichever process writes it', () => {
    const file = headed([5, UNKNOWN_ROOT]);
    const [one, other] = [
      new HeadFile(headFileOf(file), STORE),
      new HeadFile(headFileOf(file), STORE),
    ];
    for (const [head, position] of [
      [one, 8],
      [other, 7],
      [other, 9],
      [one, 6],
    ] as const) {
      head.write({ position, root: UNKNOWN_ROOT });
    }
    one.close();
    other.close();
    refuseOtherLog(file, log(9));
    expect(() => refuseOtherLog(file, log(8))).toThrow(/position 9 was acknowledged/);
  });

  it.each<[string, (name: string) => void, number]>([
    ['removed', (name) => rmSync(name), 1],
    [
      'replaced',
      (name) => replaceHeadFile(name, { ...noted(name), position: 9, reached: 9, highestId: 30n }),
      9,
    ],
  ])('is made anew, or taken up, if it is %s while it is open', async (_, change, least) => {
    const name = headFileOf(temporaryFile());
    const head = new HeadFile(name, STORE);
    head.write({ position: 1, root: UNKNOWN_ROOT }, 20n);
    change(name);
    // Longer than the interval between two looks.
    await setTimeout(1_100);
    head.write({ position: 2, root: UNKNOWN_ROOT }, 5n);
    expect(noted(name)).toMatchObject({
      position: Math.max(2, least),
      reached: Math.max(2, least),
    });
    expect(noted(name).highestId).toBe(least === 9 ? 30n : 20n);
    change(name);
    head.restore();
    head.close();
    expect(noted(name).position).toBe(Math.max(2, least));
    expect(noted(name).highestId).toBe(least === 9 ? 30n : 20n);
  });

  it.each<[string, (head: HeadFile) => void]>([
    ['the next write', (head) => head.tryToWrite({ position: 3, root: UNKNOWN_ROOT }, 5n)],
    ['another attempt', (head) => head.writeIfDue()],
    ['the end', (head) => head.restore()],
  ])('has what could not be noted, and its ids, after %s', async (_, next) => {
    const name = headFileOf(temporaryFile());
    const head = new HeadFile(name, STORE);
    head.write({ position: 1, root: UNKNOWN_ROOT }, 20n);
    // Longer than the interval between two looks.
    await setTimeout(1_100);
    renameSync(name, `${name}-moved`);
    mkdirSync(name);
    head.tryToWrite({ position: 2, root: UNKNOWN_ROOT }, 4711n);
    expect(head.unwritten).toMatchObject({ code: 'EISDIR' });
    rmdirSync(name);
    next(head);
    head.close();
    expect(noted(name).highestId).toBe(4711n);
    expect(noted(name).position).toBeGreaterThanOrEqual(2);
  });

  it('falls back on the record before where one is torn, and on nothing where both are', () => {
    const file = headed([5, UNKNOWN_ROOT], [6, UNKNOWN_ROOT]);
    const whole = readFileSync(`${file}-head`);
    for (let at = 512; at < 512 + 150; at++) {
      const torn = Buffer.from(whole);
      torn[at] = (torn[at] as number) ^ 1;
      writeFileSync(`${file}-head`, torn);
      refuseOtherLog(file, log(5));
      if (at < 630) expect(() => refuseOtherLog(file, log(4))).toThrow(/position 5/);
    }
    for (const size of [0, 100, 511]) {
      truncateSync(`${file}-head`, size);
      refuseOtherLog(file, log(0));
    }
  });

  it('is for its owner only, and can be read by people', () => {
    const file = headed([5, ROOT]);
    expect(statSync(`${file}-head`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${file}-head`, 'utf8')).toMatch(
      new RegExp(
        `^head 2 ${STORE} 0 0000000000000005 ${ROOT} 0000000000000005 0 [0-9a-f]{16} *\\n$`,
      ),
    );
  });
});

describe('a store whose end is lost', () => {
  it('is refused and left as it is, until the loss is accepted', async () => {
    const { file, old } = await cutStore(3, 2);
    for (let start = 0; start < 2; start++) {
      expect(() => openSqliteForCommandLine(file)).toThrow(
        /ends at position 3, but position 5 was acknowledged/,
      );
    }
    expect(readFileSync(file).equals(readFileSync(old))).toBe(true);
    const { head, epoch, copy } = await acceptLossInSqlite(file);
    expect([head, epoch, copy]).toStrictEqual([3, expect.stringMatching(EPOCH), undefined]);
    await expect(acceptLossInSqlite(file)).rejects.toThrow(/no loss to accept/);
    await storeWith(1, file);
    copyFileSync(old, file);
    expect(() => openSqliteForCommandLine(file)).toThrow(
      new RegExp(`position 4 was acknowledged: it was in epoch ${epoch} by then`),
    );
    expect((await acceptLossInSqlite(file)).epoch).not.toBe(epoch);
    await storeWith(1, file);
  });

  it.each<[string, (head: string) => void]>([
    ['was deleted', (head) => rmSync(head)],
    ['was emptied', (head) => truncateSync(head, 0)],
    ['cannot be read', (head) => writeFileSync(head, 'x'.repeat(1_024))],
  ])('cannot be ruled out if the head %s: the start is refused', async (_, lose) => {
    const file = await storeWith(3);
    lose(`${file}-head`);
    for (let start = 0; start < 2; start++) {
      expect(() => openSqliteForCommandLine(file)).toThrow(/-head is missing or cannot be read/);
    }
    expect(await acceptLossInSqlite(file)).toMatchObject({
      head: 3,
      epoch: expect.stringMatching(EPOCH),
    });
    await storeWith(1, file);
  });

  it('records the last id and position if its head has them, and skips ids if not', async () => {
    const { file } = await cutStore(3, 4);
    await acceptLossInSqlite(file);
    expect(breaksIn(file)).toMatchObject([{ position: 3, positionsUpTo: 7, idsUpTo: '7' }]);
    rmSync(`${file}-head`);
    await acceptLossInSqlite(file);
    const unknown = { position: 3, positionsUpTo: null, idsUpTo: '1000000007' };
    expect(breaksIn(file)).toMatchObject([{ idsUpTo: '7' }, unknown]);
  });

  it('is not continued while another program reads it', async () => {
    const file = await storeWith(3);
    const reader = new Database(file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    rmSync(`${file}-head`);
    const inUse = `${file} is in use by another program. Stop it first.`;
    const writer = new Database(file);
    writer.pragma('wal_autocheckpoint = 0');
    writer.exec('CREATE TABLE other (n); DROP TABLE other');
    await expect(acceptLossInSqlite(file)).rejects.toThrow(new UserError(inUse));
    writer.close();
    reader.close();
    expect(breaksIn(file)).toStrictEqual([]);
    expect(await acceptLossInSqlite(file)).toMatchObject({ head: 3 });
  });

  it('is detected if the log has diverged since, however far', async () => {
    const { file } = await cutStore(300, 290);
    const head = readFileSync(`${file}-head`);
    await acceptLossInSqlite(file);
    const begun = readHeadFile(`${file}-head`) ?? expect.fail();
    await storeWith(700, file, 5_000);
    writeFileSync(`${file}-head`, head);
    noteEpoch(`${file}-head`, begun);
    // In another epoch that much is known to be lost.
    await storeWith(1, file);
    const db = new Database(file);
    db.exec('DROP TRIGGER epochs_are_never_deleted; DELETE FROM epochs');
    db.close();
    writeFileSync(`${file}-head`, head);
    expect(() => openSqliteForCommandLine(file)).toThrow(
      /is not the log whose position 590 was acknowledged/,
    );
  });

  it.each<[string, (file: string) => void]>([
    ['deleted', (file) => rmSync(file)],
    ['emptied', (file) => truncateSync(file, 0)],
  ])('is refused when its file was %s', async (_, lose) => {
    const file = await storeWith(3);
    lose(file);
    expect(() => openSqliteForCommandLine(file)).toThrow(
      /ends at position 0, but position 3 was acknowledged/,
    );
  });

  it('says nothing of its log when its file cannot be read', async () => {
    const file = await storeWith(3);
    writeFileSync(file, 'no database'.repeat(99));
    expect(() => openSqliteForCommandLine(file)).toThrow(`${file} is not a SQLite database.`);
    await expect(acceptLossInSqlite(file)).rejects.toThrow(`${file} is not a SQLite database.`);
  });

  it('is refused when another store was put in its place', async () => {
    const [file, other] = [await storeWith(3), await storeWith(8)];
    copyFileSync(other, file);
    expect(() => openSqliteForCommandLine(file)).toThrow(
      /is not the log whose position 3 was acknowledged/,
    );
  });
});
