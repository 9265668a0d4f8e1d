import { expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { checkSqliteStore } from '../../../src/infra/sqlite/store-check.ts';
import { temporaryFile } from '../../support/folder.ts';
import { honestStore, tamper } from '../../support/tampering.ts';

/** Changes values of a table past its types, as raw bytes in its pages could. */
function loosen(file: string, table: string, sql: string): void {
  tamper(file, (db) => {
    db.unsafeMode(true);
    const text = db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table);
    const columns = String(text)
      .replace(') STRICT', ')')
      .replaceAll(' NOT NULL', '')
      .replaceAll(/(?<!position +)\b(?:TEXT|INTEGER|BLOB)\b/g, '');
    for (const [definition, change] of [
      [columns, sql],
      [text, ''],
    ]) {
      db.exec('PRAGMA writable_schema = ON');
      db.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(definition, table);
      db.exec('PRAGMA writable_schema = RESET');
      db.exec(String(change));
    }
  });
}

async function problemsOf(file: string): Promise<readonly string[]> {
  const evidence = openSqliteEvidence(file);
  const { findings } = await verifyStore(evidence, [], async () => {});
  evidence.close();
  return findings.map(({ problem }) => problem);
}

const OTHER_TYPE = 'a column of it has a value of another type';
const NOT_READ = /is not what was recorded|is no whole database/;

it.each<[table: string, change: string, problem: string | RegExp, toTheService?: RegExp]>([
  ['events', `SET schema_version = '2' WHERE position = 1`, OTHER_TYPE],
  ['events', `SET schema_version = x'32' WHERE position = 1`, OTHER_TYPE],
  ['events', 'SET schema_version = 2.0 WHERE position = 1', OTHER_TYPE],
  ['events', 'SET version = 1.0 WHERE position = 1', OTHER_TYPE],
  ['events', `SET version = '1' WHERE position = 1`, OTHER_TYPE],
  ['events', 'SET version = NULL WHERE position = 1', OTHER_TYPE],
  ['events', 'SET type = CAST(type AS BLOB) WHERE position = 1', OTHER_TYPE],
  ['events', 'SET metadata = CAST(metadata AS BLOB) WHERE position = 1', /not made of texts/],
  ['events', 'SET data = 5 WHERE position = 1', /not made of texts/],
  [
    'events',
    'SET order_id = CAST(order_id AS TEXT) WHERE position = 1',
    /column order_id says null/,
  ],
  [
    'events',
    'SET order_id = CAST(order_id AS REAL) WHERE position = 1',
    /column order_id says null/,
  ],
  ['tree', 'SET edge = NULL', /right edge is damaged/, /right edge is damaged/],
  ['tree', 'SET edge = 5', /right edge is damaged/, /right edge is damaged/],
  ['tree', `SET edge = 'abc'`, /right edge is damaged/, /right edge is damaged/],
  ['tree_nodes', `SET hash = 'abc'`, /was computed over other events/],
  ['tree_nodes', 'SET hash = NULL', /was computed over other events/],
  ['store', 'SET id = NULL', 'the id of the store is damaged', /id of the store is damaged/],
  ['store', 'SET id = 3', 'the id of the store is damaged', /id of the store is damaged/],
  ['store', `SET is_copy = '0'`, /is no whole database: non-INTEGER value in store.is_copy/],
])(
  'a value of another type is found: %s %s',
  async (table, change, problem, toService = NOT_READ) => {
    const file = await honestStore(temporaryFile(), 7n, 300);
    loosen(file, table, `UPDATE ${table} ${change}`);
    expect(await problemsOf(file)).toContainEqual(expect.stringMatching(problem));
    await expect(checkSqliteStore(file, async () => {})).rejects.toMatchObject({
      name: 'DamagedStore',
      message: expect.stringMatching(toService),
    });
  },
);

it('a row of another type than written is not read into an export', async () => {
  const file = await honestStore(temporaryFile(), 7n, 300);
  loosen(file, 'events', `UPDATE events SET schema_version = '2' WHERE position = 1`);
  const store = openSqliteForCommandLine(file);
  await expect(store.trail.stored(0, 10)).rejects.toThrow(
    'event at position 1 cannot be read: a column has a value of another type',
  );
  await store.close();
});

it.each([-1n, 0n, -(2n ** 53n), -(2n ** 63n)])(
  'an event at position %i is found, which no service has recorded',
  async (position) => {
    const file = await honestStore(temporaryFile(), 7n, 300);
    tamper(file, (db) => {
      db.exec(`INSERT INTO events SELECT ${position}, order_id, version, type, schema_version, data,
        metadata FROM events WHERE position = 1`);
    });
    expect(await problemsOf(file)).toContain(`position ${Number(position)} stands in its place`);
    await expect(checkSqliteStore(file, async () => {})).rejects.toThrow(
      'the event at position 1 is not what was recorded',
    );
  },
);

it.each([
  [0, 'DELETE FROM store'],
  [2, 'INSERT INTO store SELECT * FROM store'],
])('a table of the store with %i rows is found', async (rows, change) => {
  const file = await honestStore(temporaryFile(), 7n, 10);
  tamper(file, (db) => void db.exec(change));
  const problem = `the table store has ${rows} rows, and must have one`;
  expect(await problemsOf(file)).toContain(problem);
  expect(() => openSqliteForCommandLine(file)).toThrow(problem);
});
