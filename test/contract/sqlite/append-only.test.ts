import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';

/** A store with three events, closed, and its file. */
async function storeWithHistory(): Promise<string> {
  const file = temporaryFile();
  const log = new SqliteEventLog(openDatabase(file));
  await log.append(0, () => [1n, 2n, 3n].map((id) => newEvent(placed(id))));
  await log.close();
  return file;
}

const VALUES = `7, 1, 'OrderCancelled', 1, '{"orderId":"7"}', '{}'`;
const COLUMNS = 'order_id, version, type, schema_version, data, metadata';

describe('the database itself refuses to change history', () => {
  it.each([
    ['UPDATE of a column', `UPDATE events SET data = '{}' WHERE position = 2`],
    ['UPDATE of everything', 'UPDATE events SET version = version'],
    ['UPDATE of the position', 'UPDATE events SET position = position + 10'],
    ['UPDATE OR REPLACE', 'UPDATE OR REPLACE events SET position = 1 WHERE position = 2'],
    ['DELETE of the newest', 'DELETE FROM events WHERE position = 3'],
    ['DELETE of everything', 'DELETE FROM events'],
    ['INSERT in the place of another', `INSERT INTO events VALUES (2, ${VALUES})`],
    ['INSERT OR REPLACE', `INSERT OR REPLACE INTO events VALUES (2, ${VALUES})`],
    ['REPLACE of the newest', `REPLACE INTO events VALUES (3, ${VALUES})`],
    ['INSERT OR IGNORE', `INSERT OR IGNORE INTO events VALUES (2, ${VALUES})`],
    [
      'UPSERT',
      `INSERT INTO events VALUES (2, ${VALUES})
         ON CONFLICT (position) DO UPDATE SET data = excluded.data`,
    ],
    ['INSERT that leaves a gap', `INSERT INTO events VALUES (5, ${VALUES})`],
    ['INSERT before the first', `INSERT INTO events VALUES (0, ${VALUES})`],
    ['INSERT at a negative position', `INSERT INTO events VALUES (-1, ${VALUES})`],
    ['INSERT at no position', `INSERT INTO events VALUES (NULL, ${VALUES})`],
    ['INSERT that leaves the position out', `INSERT INTO events (${COLUMNS}) VALUES (${VALUES})`],
    ['INSERT by rowid', `INSERT INTO events (rowid, ${COLUMNS}) VALUES (2, ${VALUES})`],
    [
      'INSERT of several, of which the last leaves a gap',
      `INSERT INTO events VALUES (4, ${VALUES}), (6, ${VALUES})`,
    ],
  ])('%s', async (_, sql) => {
    const db = new Database(await storeWithHistory());
    const rows = () => db.prepare('SELECT * FROM events ORDER BY position').all();
    const before = rows();
    expect(before).toHaveLength(3);
    expect(() => db.exec(sql)).toThrow(/events are append-only/);
    expect(rows()).toStrictEqual(before);
    db.close();
  });

  it('and takes the next event, so that the refusals above mean something', async () => {
    const db = new Database(await storeWithHistory());
    db.exec(`INSERT INTO events VALUES (4, ${VALUES})`);
    expect(db.prepare('SELECT max(position) FROM events').pluck().get()).toBe(4);
    db.close();
  });

  it.each([
    `UPDATE signing_keys SET verifier_key = ''`,
    'DELETE FROM signing_keys',
    `INSERT INTO signing_keys VALUES (1, 'other', '')`,
    `INSERT OR REPLACE INTO signing_keys VALUES (1, 'other', '')`,
    `INSERT INTO signing_keys VALUES (3, 'other', '')`,
  ])('nor to forget a signing key: %s', async (sql) => {
    const db = new Database(await storeWithHistory());
    const rows = () => db.prepare('SELECT * FROM signing_keys').all();
    db.exec(`INSERT INTO signing_keys VALUES (1, 'log', '')`);
    const before = rows();
    expect(() => db.exec(sql)).toThrow(/signing_keys is append-only/);
    expect(rows()).toStrictEqual(before);
    db.close();
  });

  it.each([
    `UPDATE key_changes SET checksum = x''`,
    'DELETE FROM key_changes',
    `INSERT INTO key_changes VALUES ('AbCdEfGh01', 1, x'', NULL)`,
    `INSERT OR REPLACE INTO key_changes VALUES ('AbCdEfGh01', 1, x'', NULL)`,
    `INSERT INTO key_changes VALUES ('AbCdEfGh01', 3, x'', NULL)`,
  ])('nor to forget a change of an API key: %s', async (sql) => {
    const db = new Database(await storeWithHistory());
    const rows = () => db.prepare('SELECT * FROM key_changes').all();
    db.exec(`INSERT INTO api_keys VALUES
      ('AbCdEfGh01', 'x', x'', '', '', NULL, NULL, zeroblob(32), NULL, NULL)`);
    const before = rows();
    expect(before).toHaveLength(1);
    expect(() => db.exec(sql)).toThrow(/key_changes is append-only/);
    expect(rows()).toStrictEqual(before);
    db.close();
  });

  it.each([
    ...[
      `INSERT OR REPLACE INTO api_keys SELECT id, 'evil', hash, scopes, created_at, expires_at,
         revoked_at, checksum, limits, limits_checksum FROM api_keys`,
      `REPLACE INTO api_keys (rowid, id, name, hash, scopes, created_at, checksum)
         SELECT rowid, 'AbCdEfGh03', name, hash, scopes, created_at, checksum FROM api_keys`,
      'UPDATE OR REPLACE api_keys SET rowid = 1 WHERE rowid = 2',
      `UPDATE OR REPLACE api_keys SET rowid = 1, limits = '{}', limits_checksum = zeroblob(32)
         WHERE rowid = 2`,
    ].map((sql) => ['api_keys', sql] as const),
    ['kept_outcomes', `REPLACE INTO kept_outcomes VALUES ('a', 'k', 'g', NULL, NULL, '', x'')`],
    ['tree_nodes', 'INSERT INTO tree_nodes VALUES (8, 0, zeroblob(32))'],
    ['tree_nodes', 'INSERT INTO tree_nodes VALUES (1, 0, zeroblob(32))'],
    ['event_traces', `INSERT INTO event_traces VALUES (4, 'ahead')`],
  ] as const)(
    'nor to replace a row, or to add one ahead of the log, in %s: %s',
    async (table, sql) => {
      const db = new Database(await storeWithHistory());
      for (const id of ['AbCdEfGh01', 'AbCdEfGh02']) {
        db.exec(`INSERT INTO api_keys VALUES
        ('${id}', 'x', x'', '', '', NULL, NULL, zeroblob(32), NULL, NULL)`);
      }
      db.exec(`INSERT INTO kept_outcomes VALUES ('a', 'k', 'f', NULL, NULL, '', x'')`);
      const rows = () => db.prepare(`SELECT * FROM ${table}`).all();
      const before = rows();
      expect(() => db.exec(sql)).toThrow(Database.SqliteError);
      expect(rows()).toStrictEqual(before);
      db.close();
    },
  );

  it('nor to change the trace of an event', async () => {
    const db = new Database(await storeWithHistory());
    const rows = () => db.prepare('SELECT * FROM event_traces').raw().all();
    db.exec(`INSERT INTO event_traces VALUES (1, 'first')`);
    for (const sql of [`UPDATE event_traces SET traceparent = ''`, 'DELETE FROM event_traces']) {
      expect(() => db.exec(sql)).toThrow(/event_traces is append-only/);
    }
    db.exec(`INSERT INTO event_traces VALUES (1, 'other'), (2, 'second')`);
    db.exec(`INSERT OR REPLACE INTO event_traces VALUES (1, 'other')`);
    expect(rows()).toStrictEqual([
      [1, 'first'],
      [2, 'second'],
    ]);
    db.close();
  });
});
