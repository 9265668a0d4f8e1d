import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { treeRoot } from '../../../src/app/audit/merkle-proofs.ts';
import type { ExpectedHead, Finding } from '../../../src/app/audit/trail-check.ts';
import { verifyStore } from '../../../src/app/audit/verify-store.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { MIGRATIONS } from '../../../src/infra/sqlite/schema.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/sqlite-evidence.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/sqlite-store.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { coverUp, honestStore, tamper } from '../../support/tampering.ts';

async function check(file: string, heads: readonly ExpectedHead[] = []) {
  const evidence = openSqliteEvidence(file);
  try {
    return await verifyStore(evidence, heads, async () => {});
  } finally {
    evidence.close();
  }
}

async function findings(
  file: string,
  heads: readonly ExpectedHead[] = [],
): Promise<readonly Finding[]> {
  return (await check(file, heads)).findings;
}

/** The bytes of a store of 700 events and of its head, to be tampered with again and again. */
let honest: { readonly db: Buffer; readonly head: Buffer };
/** What an auditor has noted of it. */
const noted: Record<number, ExpectedHead> = {};

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-'));
  try {
    const file = await honestStore(join(folder, 'store.db'));
    honest = { db: readFileSync(file), head: readFileSync(`${file}-head`) };
    const store = openSqliteForCommandLine(file);
    for (const size of [0, 200, 500, 700]) {
      noted[size] = { name: `checkpoint-${size}`, size, root: await treeRoot(size, store.trail) };
    }
    await store.close();
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

const at = (size: number) => noted[size] ?? expect.fail();

describe('A store that is as it must be', () => {
  it('is found to be so, also by whoever has noted what it was', async () => {
    const heads = [0, 200, 500, 700].map(at);
    const { size, root, findings } = await check(given(), heads);
    expect(findings).toEqual([]);
    expect({ size, root }).toEqual({ size: 700, root: at(700).root });
  });

  it('is one that is empty, too', async () => {
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
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`);
    expect(await check(copy)).toMatchObject({ size: 701, findings: [] });
    await store.close();
  });

  it('is found to be so by two threads as by one, and by one where two cannot agree', async () => {
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

  it('is looked at as of one moment, whatever is appended meanwhile', async () => {
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

function later(event: ReturnType<typeof newEvent>) {
  return { ...event, metadata: { ...event.metadata, at: '2099-01-01T00:00:00.000Z' as never } };
}

const SQL = (sql: string) => (file: string) => tamper(file, (db) => void db.exec(sql));
const NODE_1 = "the tree's node at height 8, place 1";

/** What was done to the store, where the check must see it first, and what it must say. */
const TAMPERED: readonly [
  what: string,
  how: (file: string) => void,
  from: number | undefined,
  to: number | undefined,
  problem: string,
  heads?: readonly number[],
][] = [
  [
    'the animal of an order was changed',
    SQL(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`),
    257,
    512,
    `${NODE_1}, is of other events`,
  ],
  [
    'the data became something impossible',
    SQL(
      `UPDATE events SET data = replace(data, '"quantity":1', '"quantity":0') WHERE position = 8`,
    ),
    8,
    undefined,
    'it cannot be read: { readonly orderId',
  ],
  [
    'the data became no JSON',
    SQL(`UPDATE events SET data = 'x' WHERE position = 8`),
    8,
    undefined,
    'it cannot be read: Unexpected token',
  ],
  [
    'the data says the same in other words',
    SQL(`UPDATE events SET data = replace(data, ':', ': ') WHERE position = 690`),
    690,
    undefined,
    'it cannot be read: its text is not in the one form that it can have',
  ],
  [
    'who did it was changed, and nothing else',
    SQL(`UPDATE events SET metadata = replace(metadata, '"test"', '"nobody"') WHERE position = 3`),
    1,
    256,
    "the tree's node at height 8, place 0, is of other events",
  ],
  [
    'who did it was changed where no node is above it yet',
    SQL(
      `UPDATE events SET metadata = replace(metadata, '"test"', '"nobody"') WHERE position = 650`,
    ),
    641,
    672,
    "the tree's right edge is of other events",
  ],
  [
    'when it was done was changed',
    SQL(
      `UPDATE events SET metadata = replace(metadata, '"at":"20', '"at":"19') WHERE position = 9`,
    ),
    9,
    undefined,
    'it was recorded at 19',
  ],
  [
    'the tail was deleted',
    SQL('DELETE FROM events WHERE position > 690'),
    691,
    700,
    'the log ends at position 690, and its tree has 700 events',
  ],
  [
    'the tail was deleted, and the tree made anew',
    (file) => {
      const head = readFileSync(`${file}-head`);
      SQL('DELETE FROM events WHERE position > 690')(file);
      coverUp(file);
      writeFileSync(`${file}-head`, head);
    },
    691,
    700,
    '-head is of 700 events',
  ],
  [
    'the tail was deleted, and all traces with it',
    (file) => {
      SQL('DELETE FROM events WHERE position > 690')(file);
      coverUp(file);
    },
    691,
    700,
    'the log ends at position 690, and checkpoint-700 is of 700 events',
    [200, 700],
  ],
  [
    'an event was deleted',
    SQL('DELETE FROM events WHERE position = 42'),
    42,
    undefined,
    'it is missing',
  ],
  ['the first was', SQL('DELETE FROM events WHERE position = 1'), 1, undefined, 'it is missing'],
  [
    'the positions begin too early',
    SQL(`UPDATE events SET position = 0 WHERE position = 1`),
    1,
    undefined,
    'position 0 stands in its place',
  ],
  [
    'two events changed places',
    SQL(`UPDATE events SET position = -1 WHERE position = 3;
      UPDATE events SET position = 3 WHERE position = 5;
      UPDATE events SET position = 5 WHERE position = -1`),
    1,
    256,
    "the tree's node at height 8, place 0, is of other events",
  ],
  [
    'two events of one order changed places',
    SQL(`UPDATE events SET position = -1 WHERE position = 8;
      UPDATE events SET position = 8 WHERE position = 12;
      UPDATE events SET position = 12 WHERE position = -1`),
    8,
    undefined,
    'its version is 2, and order 6 has 0 events before it',
  ],
  [
    'a version was changed',
    SQL('UPDATE events SET version = 3 WHERE position = 12'),
    12,
    undefined,
    'its version is 3, and order 6 has 1 events before it',
  ],
  [
    'a type was changed',
    SQL(`UPDATE events SET type = 'OrderCancelled' WHERE position = 12`),
    12,
    undefined,
    'it cannot be read: ',
  ],
  [
    'a schema version was changed',
    SQL('UPDATE events SET schema_version = 9 WHERE position = 12'),
    12,
    undefined,
    'it cannot be read: unknown schema version 9 of OrderShipped',
  ],
  [
    'a column was changed',
    SQL('UPDATE events SET order_id = 2 WHERE position = 5'),
    5,
    undefined,
    'its column order_id says 2, and its data is of order 1',
  ],
  [
    'a column was changed to a number beyond 2^53',
    SQL('UPDATE events SET order_id = -9223372036854775808 WHERE position = 5'),
    5,
    undefined,
    'its column order_id says -9223372036854775808, and its data is of order 1',
  ],
  [
    'the edge was changed',
    SQL(
      `UPDATE tree SET edge = CAST(substr(edge, 1, 8) || zeroblob(32) || substr(edge, 41) AS BLOB)`,
    ),
    1,
    512,
    "the tree's right edge is of other events",
  ],
  [
    'the edge was cut off',
    SQL('UPDATE tree SET edge = substr(edge, 1, 100)'),
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'the edge was emptied',
    SQL(`UPDATE tree SET edge = x''`),
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'the edge was deleted',
    SQL('DELETE FROM tree'),
    undefined,
    undefined,
    "the tree's right edge is damaged",
  ],
  [
    'a node was changed',
    SQL('UPDATE tree_nodes SET hash = randomblob(32) WHERE place = 1'),
    257,
    512,
    `${NODE_1}, is of other events`,
  ],
  [
    'a node was deleted',
    SQL('DELETE FROM tree_nodes WHERE place = 1'),
    257,
    512,
    `${NODE_1}, is missing`,
  ],
  [
    'a node was added',
    SQL('INSERT INTO tree_nodes VALUES (8, 2, zeroblob(32))'),
    undefined,
    undefined,
    'the tree has 1 nodes that belong to no event',
  ],
  [
    'an event was added past the tree',
    (file) =>
      tamper(file, (db) => {
        db.exec(`INSERT INTO events SELECT 701, 900, 1, type, schema_version,
          replace(data, '"500"', '"900"'), metadata FROM events WHERE position = 700`);
      }),
    701,
    701,
    'the tree of the log does not go as far',
  ],
  [
    'a shipped order was cancelled, and the traces were covered',
    forged(`6, 3, 'OrderCancelled', 1, '{"orderId":"6"}'`),
    701,
    undefined,
    'no command leads to OrderCancelled of order 6 here: order_already_shipped',
  ],
  [
    'an order was cancelled twice',
    forged(`7, 3, 'OrderCancelled', 1, '{"orderId":"7"}'`),
    701,
    undefined,
    'no command leads to OrderCancelled of order 7 here: it is so already',
  ],
  [
    'an order was placed twice',
    forged(`3, 2, 'OrderPlaced', 2, '{"orderId":"3","petId":"7","quantity":1}'`),
    701,
    undefined,
    'no command leads to OrderPlaced of order 3 here: order_exists',
  ],
  [
    'an order was shipped that was never placed',
    forged(`900, 1, 'OrderShipped', 1, '{"orderId":"900","shipDate":"2026-01-01T12:00:00.000Z"}'`),
    701,
    undefined,
    'no command leads to OrderShipped of order 900 here: order_not_found',
  ],
  [
    'all was rewritten in a way that could have been',
    (file) => {
      SQL(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`)(file);
      coverUp(file);
    },
    201,
    500,
    'checkpoint-500 has another root for these 500 events',
    [700, 500, 200],
  ],
  [
    'all was rewritten, and somebody has noted one state only',
    (file) => {
      SQL(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`)(file);
      coverUp(file);
    },
    1,
    700,
    'checkpoint-700 has another root for these 700 events',
    [700],
  ],
  [
    'the note of the head was changed',
    (file) => {
      rmSync(`${file}-head`);
      SQL(`UPDATE events SET data = replace(data, '"7"', '"8"') WHERE position = 302`)(file);
      const head = honest.head;
      coverUp(file);
      writeFileSync(`${file}-head`, head);
    },
    1,
    700,
    '-head has another root for these 700 events',
  ],
];

function forged(values: string) {
  return (file: string) => {
    tamper(file, (db) => {
      db.exec(
        `INSERT INTO events SELECT 701, ${values}, metadata FROM events WHERE position = 700`,
      );
    });
    coverUp(file);
  };
}

describe('What was done to a store is found, and where:', () => {
  it.each(TAMPERED)('%s', async (_what, how, from, to, problem, sizes = []) => {
    const file = given();
    how(file);
    const [first] = await findings(file, sizes.map(at));
    expect(first).toEqual({
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      problem: expect.stringContaining(problem),
    });
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
  ])('the schema was changed: %s', async (sql, problem) => {
    const file = given();
    const db = new Database(file);
    db.exec(sql);
    db.close();
    expect(await findings(file)).toEqual([{ problem }]);
  });

  it('the file itself is damaged', async () => {
    const file = given();
    const db = new Database(file, { readonly: true });
    const page = db
      .prepare(
        `SELECT pageno FROM dbstat WHERE name = 'events' AND pagetype = 'leaf' LIMIT 1 OFFSET 9`,
      )
      .pluck()
      .get() as number;
    db.close();
    const bytes = readFileSync(file);
    bytes.fill(0xff, (page - 1) * 4_096, (page - 1) * 4_096 + 64);
    writeFileSync(file, bytes);
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

  it('any cell of any event has become another', async () => {
    const columns = ['order_id', 'version', 'type', 'schema_version', 'data', 'metadata'];
    const file = given();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 700 }),
        fc.constantFrom(...columns),
        fc.integer({ min: 0, max: 60 }),
        async (position, column, place) => {
          writeFileSync(file, honest.db);
          let changed = false;
          tamper(file, (db) => {
            const isText = ['type', 'data', 'metadata'].includes(column);
            const value = isText
              ? `substr(${column}, 1, ${place}) || '~' || substr(${column}, ${place + 2})`
              : `${column} + ${place + 1}`;
            const where = `WHERE position = ${position}`;
            changed =
              db.prepare(`SELECT ${value} IS NOT ${column} FROM events ${where}`).pluck().get() ===
              1;
            db.exec(`UPDATE events SET ${column} = ${value} ${where}`);
          });
          const [first] = await findings(file);
          expect(changed).toBe(true);
          expect(first?.from).toBeLessThanOrEqual(position);
          expect(first?.to ?? first?.from).toBeGreaterThanOrEqual(position);
        },
      ),
      { numRuns: 150 },
    );
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
      / has schema 99, and this version knows up to 3/,
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
      expect.objectContaining({ name: 'CannotStart', message: expect.stringMatching(message) }),
    );
  });
});
