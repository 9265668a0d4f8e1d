import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExpectedHead, Finding } from '../../../src/app/audit/proofs/trail-check.ts';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { CHUNK_ROWS } from '../../../src/infra/events/row-mapping.ts';
import { readHeadFile, replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { noteEpoch } from '../../../src/infra/head/notes.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { copyAsBackup } from '../../../src/infra/sqlite/backup.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { MIGRATIONS } from '../../../src/infra/sqlite/schema.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import { coverUp, honestStore, tamper } from '../../support/tampering.ts';
import {
  type Blob,
  check as checkStore,
  evidenceContract,
  type HeldStore,
  headsOf,
} from '../evidence.ts';

function held(file: string): HeldStore {
  return {
    open: async () => openSqliteEvidence(file),
    tamper: async (sql) => tamper(file, (db) => void db.exec(sql)),
    coverUp: async () => coverUp(file),
  };
}

function check(file: string, heads?: readonly ExpectedHead[]) {
  return checkStore(held(file), heads);
}

async function findings(
  file: string,
  heads: readonly ExpectedHead[] = [],
): Promise<readonly Finding[]> {
  return (await check(file, heads)).findings;
}

/** The bytes of a store of 700 events and of its head, to be tampered with again and again. */
let honest: { readonly db: Buffer; readonly head: Buffer };
/** The heads that an auditor has noted of it. */
let noted: ReadonlyMap<number, ExpectedHead>;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-'));
  try {
    const file = await honestStore(join(folder, 'store.db'));
    honest = { db: readFileSync(file), head: readFileSync(`${file}-head`) };
    noted = await headsOf(held(file), [200, 500, 700, 0]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function given(): string {
  const file = temporaryFile();
  writeFileSync(file, honest.db);
  writeFileSync(`${file}-head`, honest.head);
  return file;
}

/** The same without its end, which only the head file still shows. */
function givenCut(): string {
  const file = given();
  tamper(file, (db) => void db.exec('DELETE FROM events WHERE position > 690'));
  coverUp(file);
  writeFileSync(`${file}-head`, honest.head);
  return file;
}

const at = (size: number) => noted.get(size) ?? expect.fail();

const blob: Blob = (digits) => (digits === undefined ? 'BLOB' : `x'${digits}'`);
evidenceContract('SQLite', async () => held(given()), blob, isNightly ? 150 : 15);

describe('A store that is as it must be', () => {
  it('may be empty', async () => {
    const file = temporaryFile();
    openDatabase(file).close();
    expect(await findings(file, [at(0)])).toEqual([]);
  });

  it('may be in use: what is in the -wal file counts, and nothing is changed', async () => {
    const file = given();
    const store = openSqliteForCommandLine(file);
    await store.log.append(700, () => [newEvent(placed(9_007_199_254_740_993n))].map(later));
    const before = ['', '-wal', '-head'].map((end) => readFileSync(`${file}${end}`));
    expect(before[1]?.length).toBeGreaterThan(0);
    expect(await check(file, [at(700)])).toMatchObject({ size: 701, findings: [] });
    expect(['', '-wal', '-head'].map((end) => readFileSync(`${file}${end}`))).toEqual(before);
    const copy = temporaryFile();
    for (const end of ['', '-wal', '-head']) copyFileSync(`${file}${end}`, `${copy}${end}`);
    expect(await check(copy)).toMatchObject({ size: 701, findings: [] });
    await store.close();
  });

  it('is found intact by two threads as by one, and by one if the two differ', async () => {
    const evidence = openSqliteEvidence(given());
    const { treeAside, ...alone } = evidence;
    const heads = [200, 700].map(at);
    const passes: number[] = [];
    const advance = async (done: number) => void passes.push(done);
    const expected = { size: 700, root: at(700).root, findings: [] };
    expect(await verifyStore(evidence, heads, advance)).toEqual(expected);
    expect(passes).toEqual([700]);
    expect(await verifyStore(alone, heads, advance)).toEqual(expected);
    // In one thread, once is enough.
    expect(passes).toEqual([700, 700]);
    expect(treeAside).toBeDefined();
    evidence.close();
  });

  it('is read as of one moment, whatever is appended meanwhile', async () => {
    const file = given();
    const evidence = openSqliteEvidence(file);
    const store = openSqliteForCommandLine(file);
    await store.log.append(700, () => [newEvent(placed(9_007_199_254_740_993n))].map(later));
    const passes: number[] = [];
    const checked = await verifyStore(evidence, [at(700)], async (done) => void passes.push(done));
    expect(checked).toEqual({ size: 700, root: at(700).root, findings: [] });
    // The other thread has seen one event more, so what it says does not count.
    expect(passes).toEqual([700, 700]);
    await store.close();
    evidence.close();
  });

  it('may lack its end beside a newer head, if it is a backup or the loss was accepted', async () => {
    const file = givenCut();
    const backup = temporaryFile();
    const db = new Database(file);
    await copyAsBackup(db, backup);
    db.close();
    writeFileSync(`${backup}-head`, honest.head);
    expect(await findings(backup)).toEqual([]);
    await acceptLossInSqlite(file);
    expect(await findings(file)).toEqual([]);
    // The process has ended before it wrote the head of the new epoch, which it has noted.
    const begun = readHeadFile(headFileOf(file)) ?? expect.fail();
    writeFileSync(`${file}-head`, honest.head);
    noteEpoch(headFileOf(file), begun);
    expect(await findings(file)).toEqual([]);
  });

  it('may be of a version that kept no tree, and stays so', async () => {
    const file = temporaryFile();
    const db = new Database(file);
    for (const migration of MIGRATIONS.slice(0, 2)) db.exec(migration);
    db.exec(`PRAGMA application_id = ${0x53544f52}; PRAGMA user_version = 2`);
    db.close();
    tamper(given(), (honestDb) => {
      honestDb.exec(`ATTACH '${file}' AS old; INSERT INTO old.events SELECT * FROM events`);
    });
    expect(await check(file, [at(500)])).toMatchObject({ size: 700, findings: [] });
    expect(await findings(file, [{ ...at(500), root: at(200).root }])).toMatchObject([{ to: 500 }]);
    expect(new Database(file).pragma('user_version', { simple: true })).toBe(2);
  });
});

/** Overwrites the beginning of a page of a table, the one after so many others. */
function damage(file: string, table: string, others: number): void {
  const db = new Database(file, { readonly: true });
  const page = db
    .prepare(
      `SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' LIMIT 1 OFFSET ${others}`,
    )
    .pluck()
    .get(table) as number;
  db.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, (page - 1) * 4_096, (page - 1) * 4_096 + 64);
  writeFileSync(file, bytes);
}

function later(event: ReturnType<typeof newEvent>) {
  return { ...event, metadata: { ...event.metadata, at: '2099-01-01T00:00:00.000Z' as never } };
}

describe('Changes to a store are located:', () => {
  it('the tail was deleted, and the tree made anew', async () => {
    const file = givenCut();
    const problem = `the log ends at position 690, and ${file}-head is of 700 events`;
    expect(await findings(file)).toEqual([{ from: 691, to: 700, problem }]);
  });

  it('all was rewritten, but for the note of the head', async () => {
    const file = given();
    const sql = `UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`;
    tamper(file, (db) => void db.exec(sql));
    coverUp(file);
    writeFileSync(`${file}-head`, honest.head);
    const problem = `${file}-head has another root for these 700 events`;
    expect(await findings(file)).toEqual([{ from: 1, to: 700, problem }]);
  });

  it.each([689, 690])(
    'all was rewritten up to a cut, but for the note of the head at position %i, from before it',
    async (position) => {
      const file = givenCut();
      const head = readHeadFile(headFileOf(file)) ?? expect.fail();
      await acceptLossInSqlite(file);
      replaceHeadFile(headFileOf(file), { ...head, position, root: 'ab'.repeat(32) });
      const problem = `${file}-head has another root for these ${position} events`;
      expect(await findings(file)).toEqual([{ from: 1, to: position, problem }]);
    },
  );

  it('the head file was deleted', async () => {
    const file = given();
    rmSync(`${file}-head`);
    expect(await findings(file)).toEqual([
      { problem: `${file}-head is missing or cannot be read` },
    ]);
  });

  it('the head file was replaced by a folder', async () => {
    const file = given();
    rmSync(`${file}-head`);
    mkdirSync(`${file}-head`);
    expect(await findings(file)).toEqual([
      { problem: `${file}-head is missing or cannot be read` },
    ]);
  });

  it('an event was changed when the check began, and changed back during it', async () => {
    const file = given();
    const change = (from: number, to: number) => {
      const sql = `UPDATE events SET data = replace(data, '"${from}"', '"${to}"') WHERE position = 302`;
      tamper(file, (db) => void db.exec(sql));
    };
    change(7, 8);
    const evidence = openSqliteEvidence(file);
    change(8, 7);
    const checked = await verifyStore(evidence, [], async () => {});
    evidence.close();
    const problem = "the tree's node at height 8, place 1, was computed over other events";
    expect(checked.findings[0]).toEqual({ from: 257, to: 512, problem });
  });

  it('another store stands in its place', async () => {
    const file = given();
    const other = await honestStore(temporaryFile(), 8n);
    copyFileSync(other, file);
    const found = await findings(file, [at(500)]);
    expect(found).toMatchObject([
      { from: 1, to: 500, problem: 'checkpoint-500 has another root for these 500 events' },
      { problem: expect.stringMatching(/-head is of the store \w{16}, and this is \w{16}/) },
    ]);
  });

  it.each([
    [
      'DROP TRIGGER events_are_never_updated',
      'the trigger events_are_never_updated of the database is not there',
    ],
    [
      `DROP TRIGGER tree_is_one; CREATE TRIGGER tree_is_one BEFORE INSERT ON tree BEGIN SELECT 1; END`,
      'the trigger tree_is_one of the database is another one',
    ],
    ['CREATE TABLE notes (x)', "the table notes of the database is none of this program's"],
    [
      // In a pattern of LIKE, the underscore of sqlite_ is any character.
      'CREATE TRIGGER sqlitex_quiet BEFORE UPDATE ON api_keys BEGIN SELECT RAISE(IGNORE); END',
      "the trigger sqlitex_quiet of the database is none of this program's",
    ],
  ])('the schema was changed: %s', async (sql, problem) => {
    const file = given();
    const db = new Database(file);
    db.exec(sql);
    db.close();
    expect(await findings(file)).toEqual([{ problem }]);
  });

  it('nothing, where statistics were gathered for its queries', async () => {
    const file = given();
    const db = new Database(file);
    db.exec('ANALYZE');
    db.close();
    expect(await findings(file)).toEqual([]);
  });

  it.each([2 * CHUNK_ROWS, 2 * CHUNK_ROWS + 1])(
    'one of %i events was changed, the last',
    async (events) => {
      const file = await honestStore(temporaryFile(), 7n, events);
      expect(await check(file)).toMatchObject({ size: events, findings: [] });
      tamper(file, (db) => {
        db.exec(`UPDATE events SET data = data || ' ' WHERE position = ${events}`);
      });
      const problem = 'it cannot be read: its text is not in the one form that it can have';
      expect(await findings(file)).toMatchObject([{ from: events, problem }]);
    },
  );

  it('the pages of the kept outcomes are damaged', async () => {
    const file = given();
    damage(file, 'kept_outcomes', 0);
    expect(await findings(file)).toEqual([{ problem: 'database disk image is malformed' }]);
  });

  it('the file itself is damaged', async () => {
    const file = given();
    damage(file, 'events', 9);
    const [first] = await findings(file);
    expect(first?.problem).toBe('it cannot be read: database disk image is malformed');
    expect(first?.from).toBeGreaterThan(100);
  });

  it('the -wal file is damaged', async () => {
    const file = given();
    const store = openSqliteForCommandLine(file);
    for (const id of [901n, 902n, 903n]) {
      const head = await store.log.head();
      await store.log.append(head, () => [later(newEvent(placed(id)))]);
    }
    const copy = temporaryFile();
    for (const end of ['', '-wal', '-head']) copyFileSync(`${file}${end}`, `${copy}${end}`);
    await store.close();
    const wal = readFileSync(`${copy}-wal`);
    wal[100] = (wal[100] ?? 0) ^ 1;
    writeFileSync(`${copy}-wal`, wal);
    expect(await findings(copy)).toMatchObject([
      { from: 701, to: 703 },
      { problem: `${copy}-wal is damaged at frame 1` },
    ]);
  });
});

describe('What is no store is refused:', () => {
  it.each<[string, (file: string) => void, RegExp]>([
    ['nothing', () => {}, /^There is no store /],
    ['a text', (file) => writeFileSync(file, 'x'.repeat(5_000)), / is not a SQLite database\.$/],
    [
      'a database of others',
      (file) => new Database(file).exec('CREATE TABLE t (x)').close(),
      /is no store of this program/,
    ],
    [
      'a store of a newer version',
      (file) => openDatabase(file).exec('PRAGMA user_version = 99').close(),
      / has schema 99, and this version knows up to \d+/,
    ],
    [
      'a store without its tables',
      (file) => openDatabase(file).exec('DROP TABLE store').close(),
      / cannot be read: no such table: store/,
    ],
  ])('%s', (_what, make, message) => {
    const file = temporaryFile();
    make(file);
    expect(() => openSqliteEvidence(file)).toThrow(
      expect.objectContaining({ name: 'UserError', message: expect.stringMatching(message) }),
    );
  });
});
