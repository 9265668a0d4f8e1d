import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { verifyStore } from '../../../src/app/audit/trail/verify-store.ts';
import { FIRST_EPOCH } from '../../../src/app/log/epochs.ts';
import { keyRow } from '../../../src/infra/events/row-mapping.ts';
import { replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { firstHeadOf, storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { openSqliteEvidence } from '../../../src/infra/sqlite/evidence.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { KeptOutcomesTable } from '../../../src/infra/sqlite/kept-outcomes-table.ts';
import { SqliteKeyStore } from '../../../src/infra/sqlite/key-store.ts';
import { MerkleTables } from '../../../src/infra/sqlite/merkle-tables.ts';
import {
  SCHEMA_VERSION,
  WITH_CHECKSUMS,
  WITH_EPOCHS,
  WITH_LIMITS,
  WITH_SECOND_PLACES,
  WITH_TREE,
} from '../../../src/infra/sqlite/schema.ts';
import { signingKeysIn } from '../../../src/infra/sqlite/signing-keys.ts';
import { lockForServer } from '../../../src/infra/sqlite/start/server-lock.ts';
import { openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { StoredEvents } from '../../../src/infra/sqlite/stored-events.ts';
import { SqliteTrail } from '../../../src/infra/sqlite/trail.ts';
import { NOON, newEvent, placed, TRACEPARENT } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { emptyStore } from '../../support/older-store.ts';
import { tamper } from '../../support/tampering.ts';
import { watcher } from '../../support/watcher.ts';

const EVENTS = 700;
const SINCE_OUTCOMES = 2;

/** The schemas from this one on, without the newest. */
function olderSchemas(first: number): number[] {
  return Array.from({ length: SCHEMA_VERSION - first }, (_, n) => first + n);
}

/** Makes a store as the version with this schema has left it. */
function oldStore(schema: number): string {
  const file = temporaryFile();
  const db = emptyStore(file, schema);
  const insert = db.prepare(`INSERT INTO events VALUES (?, ?, 1, 'OrderPlaced', 2, ?, ?)`);
  const metadata = '{"at":"2026-01-01T12:00:00.000Z","by":"AbCdEfGh01","commandId":"c-1"}';
  db.exec('BEGIN');
  for (let id = 1; id <= EVENTS; id++) {
    insert.run(id, id, `{"orderId":"${id}","petId":"7","quantity":1}`, metadata);
  }
  db.exec('COMMIT');
  const key = `'AbCdEfGh01', 'Zoë "the" key', x'0102', 'orders:read', '2026-01-01T12:00:00.000Z'`;
  insertWith(db, schema, 'api_keys', 'id, name, hash, scopes, created_at', [key], ', NULL, NULL');
  if (schema >= SINCE_OUTCOMES) {
    const columns = 'asked_by, key, fingerprint, order_id, version, refusal';
    insertWith(db, schema, 'kept_outcomes', columns, [
      `'AbCdEfGh01', 'k-ä', 'f', 9223372036854775807, 1, NULL`,
      `'AbCdEfGh01', 'l', 'f', NULL, NULL, 'order_not_found'`,
    ]);
  }
  if (schema >= WITH_TREE) new MerkleTables(db).append(new StoredEvents(db).read(0, EVENTS));
  if (schema >= WITH_EPOCHS) replaceHeadFile(headFileOf(file), firstHeadOf(db));
  db.close();
  return file;
}

/** Inserts rows as a version with this schema did: with checksums, once there are any. */
function insertWith(
  db: Database.Database,
  schema: number,
  table: string,
  columns: string,
  rows: readonly string[],
  unset = '',
): void {
  const hasChecksums = schema >= WITH_CHECKSUMS;
  for (const row of rows) {
    const checksum = hasChecksums ? `, checksum_of('${table}', ${row}${unset})` : '';
    db.exec(`INSERT INTO ${table} (${columns}${hasChecksums ? ', checksum' : ''})
      VALUES (${row}${checksum})`);
  }
}

async function verified(file: string) {
  const evidence = openSqliteEvidence(file);
  const { findings, size } = await verifyStore(evidence, [], async () => {});
  await evidence.close();
  return { findings, size };
}

it.each(olderSchemas(WITH_CHECKSUMS))(
  'a store of schema %i is verified as it is',
  async (schema) => {
    expect(await verified(oldStore(schema))).toEqual({ findings: [], size: EVENTS });
  },
);

it.each(olderSchemas(WITH_CHECKSUMS))(
  'changes to a store of schema %i are found in its own way',
  async (schema) => {
    const file = oldStore(schema);
    tamper(
      file,
      (db) => void db.exec(`UPDATE kept_outcomes SET fingerprint = 'g' WHERE key = 'l'`),
    );
    rmSync(headFileOf(file), { force: true });
    const { findings } = await verified(file);
    expect(findings).toEqual([
      { problem: 'the row "AbCdEfGh01 l" of kept_outcomes is not as it was recorded' },
      // Without epochs, a log has no head beside it.
      ...(schema < WITH_EPOCHS ? [] : [{ problem: `${file}-head is missing or cannot be read` }]),
    ]);
  },
);

it.each(olderSchemas(WITH_EPOCHS))(
  'the epochs of a store of schema %i are read',
  async (schema) => {
    const file = oldStore(schema);
    tamper(file, (db) => void db.exec(`INSERT INTO epochs VALUES (1, 'x')`));
    const { findings } = await verified(file);
    expect(findings).toMatchObject([{ problem: expect.stringContaining('epoch') }]);
  },
);

it.each(olderSchemas(1))(
  'a store of schema %i is brought up to date, and everything in it is checked from then on',
  async (schema) => {
    const file = oldStore(schema);
    const db = openDatabase(file);
    expect(db.pragma('user_version', { simple: true })).toBe(SCHEMA_VERSION);
    expect(new MerkleTables(db).wholeSize()).toBe(EVENTS);
    expect(await new SqliteKeyStore(db).find('AbCdEfGh01')).toMatchObject({
      name: 'Zoë "the" key',
    });
    const kept = new KeptOutcomesTable(db).after({ by: '', key: '' }, 10);
    if (schema >= SINCE_OUTCOMES) {
      expect(kept.map(({ decided }) => decided)).toEqual([
        { kind: 'accepted', orderId: 2n ** 63n - 1n, version: 1 },
        { kind: 'rejected', reason: 'order_not_found' },
      ]);
    }
    db.close();
    expect(await verified(file)).toEqual({ findings: [], size: EVENTS });
  },
);

it.each(olderSchemas(1))(
  'a store of schema %i has signed with a key that only its file shows if it had a tree',
  (schema) => {
    const db = openDatabase(oldStore(schema));
    const { length } = signingKeysIn(db);
    db.close();
    // Newer ones have recorded each key themselves.
    expect(length).toBe(schema === WITH_TREE ? 1 : 0);
  },
);

it.each(olderSchemas(1))('a server reports that it has migrated schema %i', async (schema) => {
  const noticed: object[] = [];
  const given = watcher({ noticed: (_, about) => noticed.push(about) });
  const store = await openSqliteStore(oldStore(schema), given);
  await store.close();
  expect(noticed).toContainEqual({ from: schema, to: SCHEMA_VERSION });
});

it.each(olderSchemas(1))('schema %i stays while a server is running on it', (schema) => {
  const file = oldStore(schema);
  const unlock = lockForServer(file);
  expect(() => openDatabase(file)).toThrow(`Another server is running on ${file}. Stop it first.`);
  const version = () => {
    const db = new Database(file, { readonly: true });
    try {
      return db.pragma('user_version', { simple: true });
    } finally {
      db.close();
    }
  };
  expect(version()).toBe(schema);
  unlock();
  openDatabase(file).close();
  expect(version()).toBe(SCHEMA_VERSION);
});

it.each(olderSchemas(1))(
  'the loss of events of a store of schema %i is accepted',
  async (schema) => {
    const file = oldStore(schema);
    const db = new Database(file, { readonly: true });
    const head = {
      storeId: storeIdOf(db),
      epoch: FIRST_EPOCH,
      root: undefined,
      highestId: undefined,
    };
    db.close();
    replaceHeadFile(headFileOf(file), { ...head, position: EVENTS + 1, reached: EVENTS + 1 });
    const refusal = `ends at position ${EVENTS}, but position ${EVENTS + 1} was acknowledged`;
    expect(() => openDatabase(file)).toThrow(refusal);
    const unlock = lockForServer(file);
    await expect(acceptLossInSqlite(file)).rejects.toThrow('Another server is running');
    unlock();
    expect(await acceptLossInSqlite(file)).toMatchObject({ head: EVENTS });
    expect(await verified(file)).toEqual({ findings: [], size: EVENTS });
  },
);

it('an older version that is still running adds no key without a checksum', () => {
  const db = openDatabase(temporaryFile());
  expect(() =>
    db.exec(`INSERT INTO api_keys (id, name, hash, scopes, created_at) VALUES
      ('AbCdEfGh01', 'x', x'0102', '', '2026-01-01T12:00:00.000Z')`),
  ).toThrow('a newer version of store-orders has opened this store');
  db.close();
});

it('the keys of a store from before limits are valid, have none, and can be limited', async () => {
  const file = temporaryFile();
  const old = emptyStore(file, WITH_LIMITS - 1);
  const key = { id: 'AbCdEfGh01', name: 'x', hash: Buffer.of(1), scopes: [], createdAt: NOON };
  const columns = keyRow(key).slice(0, -2);
  old.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)').run(...columns);
  old.close();
  const db = openDatabase(file);
  const keys = new SqliteKeyStore(db);
  expect(await keys.list()).toStrictEqual([key]);
  expect(await keys.limit(key.id, { streams: 3 })).toBe(true);
  expect(await keys.find(key.id)).toStrictEqual({ ...key, limits: { streams: 3 } });
  db.close();
});

it('the events of a store from before traces have none, and those after them can have one', async () => {
  const db = openDatabase(oldStore(1));
  const log = new SqliteEventLog(db);
  const traced = { ...newEvent(placed(999n)), traceparent: TRACEPARENT };
  expect(await log.append(EVENTS, () => [traced])).toMatchObject({ kind: 'appended' });
  const traces = await new SqliteTrail(db).traces([1, EVENTS, EVENTS + 1]);
  expect(traces).toStrictEqual(new Map([[EVENTS + 1, TRACEPARENT]]));
  await log.close();
});

it('an older version that is still running changes keys, and each change is recorded', async () => {
  const db = openDatabase(oldStore(WITH_SECOND_PLACES - 1));
  const keys = new SqliteKeyStore(db);
  const key = { id: 'AbCdEfGh02', name: 'x', hash: Buffer.of(1), scopes: [], createdAt: NOON };
  const revoked = keyRow({ ...key, revokedAt: NOON });
  db.prepare('INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(...keyRow(key));
  expect(await keys.find(key.id)).toStrictEqual(key);
  db.prepare('UPDATE api_keys SET revoked_at = ?, checksum = ? WHERE id = ?').run(
    NOON,
    revoked[7],
    key.id,
  );
  expect(await keys.find(key.id)).toStrictEqual({ ...key, revokedAt: NOON });
  const changes = db.prepare('SELECT id, change FROM key_changes ORDER BY id, change').raw().all();
  expect(changes).toEqual([
    ['AbCdEfGh01', 1],
    ['AbCdEfGh02', 1],
    ['AbCdEfGh02', 2],
  ]);
  db.close();
});
