import { existsSync, truncateSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteRefusals } from '../../../src/infra/sqlite/refusals.ts';
import {
  checkSqliteStore,
  openEvidenceWithRefusals,
} from '../../../src/infra/sqlite/store-check.ts';
import { temporaryFile } from '../../support/folder.ts';
import { canMount, coverReadOnly } from '../../support/small-disk.ts';
import { refusal, refusalTrailContract } from '../refusal-trail.ts';

function opened(file = temporaryFile(), most?: number): SqliteRefusals {
  const trail = new SqliteRefusals(file, most);
  onTestFinished(() => trail.close());
  return trail;
}

refusalTrailContract('SQLite', async (most) => opened(undefined, most));

describe('the file of refusals', () => {
  it('is made for the first refusal, beside the store', async () => {
    const file = temporaryFile();
    const trail = opened(file);
    expect(await trail.newest(1)).toStrictEqual([]);
    expect(existsSync(`${file}-refusals`)).toBe(false);
    await trail.append([refusal(1)]);
    expect(existsSync(`${file}-refusals`)).toBe(true);
  });

  it('is read and written by several at once, and stays', async () => {
    const file = temporaryFile();
    const [service, beside] = [opened(file), opened(file)];
    await service.append([refusal(1)]);
    await beside.append([refusal(2)]);
    await service.append([refusal(3)]);
    service.close();
    const positions = (await beside.newest(9)).map(({ position }) => position);
    expect(positions).toStrictEqual([1, 2, 3]);
  });

  it.skipIf(!canMount)(
    'is written again as soon as it can be (needs a right to mount)',
    async () => {
      const file = temporaryFile();
      const before = opened(file);
      await before.append([refusal(1)]);
      before.close();
      const uncover = coverReadOnly(`${file}-refusals`);
      const trail = opened(file);
      const failed = await trail.append([refusal(2)]).catch((error: unknown) => error);
      uncover();
      expect(failed).toMatchObject({ code: 'SQLITE_READONLY' });
      await trail.append([refusal(3)]);
      expect(await trail.newest(9)).toHaveLength(2);
    },
  );

  it.each([
    [
      'a trigger that keeps them out',
      'CREATE TRIGGER evil BEFORE INSERT ON refusals BEGIN SELECT RAISE(IGNORE); END',
      /-refusals: the trigger evil of the database is none of this program's$/,
    ],
    [
      'a view in the place of its table',
      'ALTER TABLE refusals RENAME TO x; CREATE VIEW refusals AS SELECT * FROM x WHERE 0',
      /-refusals: the table refusals of the database is not there$/,
    ],
    [
      'no trigger that refuses a change',
      'DROP TRIGGER refusals_are_never_updated',
      /-refusals: the trigger refusals_are_never_updated of the database is not there$/,
    ],
    [
      'no table',
      'DROP TABLE refusals',
      /-refusals: the table refusals of the database is not there$/,
    ],
    [
      'the mark of another program, which keeps them out as well',
      'PRAGMA application_id = 99',
      /-refusals: the application id of the database is another one$/,
    ],
  ])('is found altered with %s', async (_what, sql, message) => {
    const file = temporaryFile();
    openDatabase(file).close();
    const trail = opened(file);
    await trail.append([refusal(1)]);
    trail.close();
    await checkSqliteStore(file, async () => {});
    const db = new Database(`${file}-refusals`);
    db.exec(sql);
    db.close();
    await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(message);
    const { flaws, close } = await openEvidenceWithRefusals(file);
    close();
    expect(flaws).toContainEqual(expect.stringMatching(message));
  });

  it('is not made anew without its table: a read names it', async () => {
    const file = temporaryFile();
    await opened(file).append([refusal(1)]);
    const db = new Database(`${file}-refusals`);
    onTestFinished(() => void db.close());
    db.exec('DROP TABLE refusals');
    await expect(opened(file).newest(9)).rejects.toThrow(
      /-refusals cannot be used: no such table: refusals .* The schema of the store was altered/,
    );
  });

  it('refuses changes and deletions of its records', async () => {
    const file = temporaryFile();
    const trail = opened(file, 3);
    await trail.append([1, 2, 3, 4].map(refusal));
    const db = new Database(`${file}-refusals`);
    onTestFinished(() => void db.close());
    for (const sql of [
      `UPDATE refusals SET record = '{}' WHERE position = 2`,
      'DELETE FROM refusals WHERE position = 2',
      'DELETE FROM refusals WHERE position = 4',
      `INSERT INTO refusals VALUES (9, '{}')`,
      `INSERT OR REPLACE INTO refusals VALUES (3, '{}')`,
    ]) {
      expect(() => db.exec(sql), sql).toThrow('refusals are append-only');
    }
  });

  it('passes the check of the store before its table is there', async () => {
    const file = temporaryFile();
    openDatabase(file).close();
    writeFileSync(`${file}-refusals`, '');
    await checkSqliteStore(file, async () => {});
    const db = new Database(`${file}-refusals`);
    onTestFinished(() => void db.close());
    db.pragma('journal_mode = WAL');
    await checkSqliteStore(file, async () => {});
    await opened(file).append([refusal(1)]);
    await checkSqliteStore(file, async () => {});
  });

  it("is not another program's file", async () => {
    const foreign = temporaryFile();
    openDatabase(`${foreign}-refusals`).close();
    await expect(opened(foreign).append([refusal(1)])).rejects.toThrow(
      'is a database of another program',
    );
    const text = temporaryFile();
    writeFileSync(`${text}-refusals`, 'x'.repeat(5_000));
    await expect(opened(text).newest(1)).rejects.toThrow('is not a SQLite database');
  });

  it('is moved away where it is damaged: no backup has it', async () => {
    const file = temporaryFile();
    const trail = opened(file);
    await trail.append([refusal(1)]);
    trail.close();
    truncateSync(`${file}-refusals`, 3_000);
    const found = opened(file).append([refusal(2)]);
    await expect(found).rejects.toThrow(
      / \(SQLITE_\w+\)\. It has only refused requests: move it away/,
    );
  });
});
