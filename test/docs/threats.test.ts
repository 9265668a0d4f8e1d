import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  RecordTree,
  verifyCheckpoint,
  verifyConsistency,
} from '../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { snapshotKeyOf } from '../../src/app/audit/proving/signing-key.ts';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { knownLogs } from '../../src/app/audit/witness/submitted-checkpoint.ts';
import { Witness } from '../../src/app/audit/witness/witness.ts';
import { witnessRequestText } from '../../src/app/audit/witness/witness-request.ts';
import { mintKeyText } from '../../src/app/keys/api-key.ts';
import { OrderList } from '../../src/app/state/order-list.ts';
import { Writer } from '../../src/app/write/writer.ts';
import type { PetId } from '../../src/domain/order-id.ts';
import { checksumOf } from '../../src/infra/events/checksums.ts';
import { Database as Postgres } from '../../src/infra/postgres/connection/database.ts';
import { PostgresEventLog } from '../../src/infra/postgres/event-log.ts';
import { PostgresRefusals } from '../../src/infra/postgres/refusals.ts';
import { openPostgresStore } from '../../src/infra/postgres/store.ts';
import { SnapshotFile, snapshotBeside } from '../../src/infra/snapshot/snapshot-file.ts';
import { openDatabase } from '../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../src/infra/sqlite/epochs-table.ts';
import { openLog, SqliteEventLog } from '../../src/infra/sqlite/event-log.ts';
import { MerkleTables, rootsIn } from '../../src/infra/sqlite/merkle-tables.ts';
import { SqliteRefusals } from '../../src/infra/sqlite/refusals.ts';
import { openSqliteStore } from '../../src/infra/sqlite/store.ts';
import { openWitnessMemory } from '../../src/infra/sqlite/witness/memory-file.ts';
import { refusal } from '../contract/refusal-trail.ts';
import { startProgram } from '../support/child.ts';
import { Place } from '../support/command-line.ts';
import { NOON, TRACEPARENT } from '../support/events.ts';
import { ask } from '../support/http.ts';
import { isNightly, partByDay } from '../support/nightly.ts';
import { newDatabase } from '../support/postgres/databases.ts';
import { sql, tamper as tamperOnPostgres } from '../support/postgres/sql.ts';
import { addressOf, bearer, start } from '../support/service.ts';
import { coverUp, tamper } from '../support/tampering.ts';
import { watcher } from '../support/watcher.ts';
import { tableOf } from './markdown.ts';

/** The table of docs/audit.md. Each row is carried out, and the claim in the table is checked. */
const ROWS = tableOf(
  'docs/audit.md',
  'what somebody does | what detects it | what you must have stored',
);

const ORDERS = `id,petId,quantity,shipDate,status
1,7,1,,pending
2,7,1,2026-01-31T12:00:00Z,shipped
3,7,1,,cancelled
`;

/** The contents of a folder, by the names of its files. */
type Files = ReadonlyMap<string, Buffer>;

function filesIn(folder: string): Files {
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

/** A store of five events, and the checkpoint and key that an auditor has stored elsewhere. */
class Store {
  static #made: Promise<Files> | undefined;
  static #goneOn: Promise<Files> | undefined;

  readonly place = new Place();
  readonly file = this.place.file('store.db');
  readonly kept = { checkpoint: this.place.file('checkpoint'), key: this.place.file('log.vkey') };
  /** The arguments with which the auditor verifies the store against the stored checkpoint. */
  readonly audit = ['verify', '--checkpoint', this.kept.checkpoint, '--key', this.kept.key];

  /** Returns a copy of a store that is made once for all: making it takes as long as most attacks. */
  static async make(): Promise<Store> {
    Store.#made ??= Store.makeAnother().then(({ place }) => filesIn(place.folder));
    return Store.#of(await Store.#made);
  }

  /** Returns a copy of a store that was restored, and a checkpoint from after the backup. */
  static async makeGoneOn(): Promise<Store> {
    Store.#goneOn ??= goneOnFromBackup().then(({ place }) => filesIn(place.folder));
    return Store.#of(await Store.#goneOn);
  }

  static #of(files: Files): Store {
    const store = new Store();
    for (const [name, bytes] of files) writeFileSync(store.place.file(name), bytes);
    return store;
  }

  /** Makes a store with an id and a signing key of its own. */
  static async makeAnother(): Promise<Store> {
    const store = new Store();
    await store.run('import', store.place.write('orders.csv', ORDERS));
    await store.run('audit', 'checkpoint', '--out', store.kept.checkpoint);
    writeFileSync(store.kept.key, (await store.run('audit', 'public-key')).out);
    expect((await store.place.run(...store.audit)).code).toBe(0);
    return store;
  }

  /** Runs a command that must succeed. */
  async run(...args: readonly string[]) {
    const ran = await this.place.run(...args);
    expect(ran.code, ran.err).toBe(0);
    return ran;
  }

  /** Records more events, after the checkpoint. */
  async grow(): Promise<void> {
    await this.run('import', this.place.write('more.csv', 'id,petId,quantity\n4,7,1\n'));
  }

  tamper(statement: string): void {
    tamper(this.file, (db) => void db.exec(statement));
  }

  /** Rewrites events, and recomputes the tree and the head file as the program would write them. */
  rewrite(statement: string): void {
    this.tamper(statement);
    coverUp(this.file);
  }

  async isFoundBy(args: readonly string[], says: RegExp): Promise<void> {
    const { code, out, err } = await this.place.run(...args);
    expect([code, out + err]).toEqual([3, expect.stringMatching(says)]);
  }

  async isNotFoundBy(...args: readonly string[]): Promise<void> {
    const { code, out, err } = await this.place.run(...args);
    expect(code, out + err).toBe(0);
  }

  /**
   * Returns what a start says. By day the store is opened and checked in this process, which is how a start
   * begins. Attacks that a start finds later, or that change what it logs, have a real one by day as well.
   */
  async start(): Promise<string> {
    if (isNightly) return this.reallyStart();
    const said: string[] = [];
    const given = watcher({
      impaired: (_reason, { message }) => void said.push(message),
      noticed: (message) => void said.push(message),
    });
    try {
      const store = await openSqliteStore(this.file, given, 0);
      try {
        await store.check?.once;
      } finally {
        await store.close();
      }
      return [...said, 'answers at'].join('\n');
    } catch (error) {
      return [...said, String(error)].join('\n');
    }
  }

  /** Returns the output of a real start, until it is refused, reports damage or serves. */
  async reallyStart(settings: Readonly<Record<string, string>> = {}): Promise<string> {
    await using program = start(['serve'], this.place.folder, {
      PORT: '0',
      DATABASE_URL: `sqlite:${this.file}`,
      ...settings,
    });
    const outcome = /Nothing was changed|damaged|answers at/;
    // Awaited here, because the program is stopped at the end of this function.
    return await program
      .until(({ stdout, stderr }) => {
        return outcome.test(stdout + stderr) ? stdout + stderr : undefined;
      })
      .catch(String);
  }
}

const OTHER_PET = `UPDATE events SET data = replace(data, '"petId":"7"', '"petId":"8"') WHERE position = 1`;

async function guarded(): Promise<void> {
  const { file } = await Store.make();
  const db = new Database(file);
  for (const statement of [
    OTHER_PET,
    'DELETE FROM events',
    'REPLACE INTO events SELECT 1, 1, 1, type, 2, data, metadata FROM events WHERE position = 2',
  ]) {
    expect(() => db.exec(statement)).toThrow(/append-only/);
  }
  db.close();
  const url = await newDatabase();
  await expect(sql(url, `UPDATE store_orders.events SET data = ''`)).rejects.toThrow(/append-only/);
}

async function appended(): Promise<void> {
  const store = await Store.make();
  const db = new Database(store.file);
  db.exec(`INSERT INTO events SELECT 6, 9, 1, type, schema_version,
    replace(data, '"orderId":"1"', '"orderId":"9"'), metadata FROM events WHERE position = 1`);
  db.close();
  await store.isFoundBy(['verify'], /the tree of the log lacks these events|log|tree/);
  expect(await store.start()).not.toContain('answers at');
  expect((await store.place.run('audit', 'receipt', '--position', '6')).code).not.toBe(0);
  expect((await store.place.run('import', store.place.file('orders.csv'))).code).not.toBe(0);
}

async function edited(): Promise<void> {
  const store = await Store.make();
  store.tamper(OTHER_PET);
  await store.isFoundBy(['verify'], /was computed over other events/);
  expect(await store.reallyStart()).toContain('damaged');
}

/** Rewrites an event, and recomputes the tree of a log that may have grown by one, all at once. */
function rewriteAtOnce(file: string, more: string): void {
  tamper(file, (db) => {
    db.transaction(() => {
      db.exec(`${OTHER_PET}; ${more}`);
      db.exec(`UPDATE tree SET edge = x'0000000000000000'; DELETE FROM tree_nodes`);
      new MerkleTables(db).create();
    })();
  });
}

async function whileItRuns(): Promise<void> {
  const placed = `INSERT INTO events SELECT 6, 9, 1, type, schema_version,
    replace(data, '"orderId":"1"', '"orderId":"9"'), metadata FROM events WHERE position = 1`;
  for (const more of partByDay(['', placed], 2)) {
    const store = await Store.make();
    const key = mintKeyText();
    const settings = { PORT: '0', DATABASE_URL: `sqlite:${store.file}`, INITIAL_API_KEY: key };
    await using program = start(['serve'], store.place.folder, settings);
    const address = await addressOf(program);
    const headers = { ...bearer(key), 'Content-Type': 'application/json' };
    const status = async (method: string, path: string, body?: string) => {
      return (await ask(address, method, path, { headers, ...(body && { body }) })).status;
    };
    expect(await status('GET', '/v1/store/checkpoint')).toBe(200);
    rewriteAtOnce(store.file, more);
    expect(await status('GET', '/v1/store/checkpoint')).toBe(503);
    expect(await status('GET', '/v1/store/events/1/receipt')).toBe(503);
    expect(await status('POST', '/v1/store/orders', '{"petId":"7","quantity":1}')).toBe(503);
    await program.end();
    expect(await store.start()).not.toContain('answers at');
  }
}

async function dropped(): Promise<void> {
  const url = await newDatabase();
  const log = new PostgresEventLog(new Postgres(url));
  await sql(
    url,
    `CREATE FUNCTION public.dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
     CREATE TRIGGER drops BEFORE INSERT ON store_orders.events
       FOR EACH ROW EXECUTE FUNCTION public.dropped()`,
  );
  const command = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
  const writer = await Writer.open(log);
  const outcomes = await writer.execute([{ command, by: 'AbCdEfGh01', commandId: 'c' }]);
  expect(outcomes).toMatchObject([{ kind: 'unavailable' }]);
  expect(await log.head()).toBe(0);
  await log.close();
}

async function misattributed(): Promise<void> {
  for (const [what, instead] of [
    ['"by":"import"', '"by":"someone"'],
    ['"at":"20', '"at":"10'],
  ]) {
    const store = await Store.make();
    store.tamper(
      `UPDATE events SET metadata = replace(metadata, '${what}', '${instead}') WHERE position = 1`,
    );
    await store.isFoundBy(['verify'], /was computed over other events/);
  }
}

async function impossible(): Promise<void> {
  const store = await Store.make();
  store.rewrite(
    `UPDATE events SET type = 'OrderCancelled', schema_version = 1, data = '{"orderId":"' || order_id || '"}' WHERE position = 1`,
  );
  await store.isFoundBy(['verify'], /position 1: no command leads to OrderCancelled/);
}

async function inTheMiddle(): Promise<void> {
  for (const statement of [
    'DELETE FROM events WHERE position = 2',
    'UPDATE events SET position = -1 WHERE position = 1; UPDATE events SET position = 1 WHERE position = 2; UPDATE events SET position = 2 WHERE position = -1',
    'UPDATE events SET position = position + 100 WHERE position > 1; UPDATE events SET position = position - 99 WHERE position > 100; INSERT INTO events SELECT 2, 9, 1, type, schema_version, data, metadata FROM events WHERE position = 1',
  ]) {
    const store = await Store.make();
    store.tamper(statement);
    await store.isFoundBy(['verify'], /position/);
  }
}

async function cutOff(): Promise<void> {
  const store = await Store.make();
  store.tamper('DELETE FROM events WHERE position = 5');
  await store.isFoundBy(['verify'], /the log ends at position 4, and its tree has 5 events/);
  expect(await store.start()).not.toContain('answers at');
}

async function cutOffWithItsTree(): Promise<void> {
  const store = await Store.make();
  const head = readFileSync(`${store.file}-head`);
  store.rewrite('DELETE FROM events WHERE position = 5');
  // If the head file was recomputed as well, only a checkpoint detects the loss.
  await store.isFoundBy(store.audit, /the log ends at position 4/);
  writeFileSync(`${store.file}-head`, head);
  await store.isFoundBy(['verify'], /-head/);
  expect(await store.start()).toMatch(/ends at position 4, but position 5 was acknowledged/);
}

async function withoutHeadFile(): Promise<void> {
  const store = await Store.make();
  rmSync(`${store.file}-head`);
  await store.isFoundBy(['verify'], /-head/);
  expect(await store.start()).toMatch(/-head.*Nothing was changed/s);
}

async function olderCopyOfBoth(): Promise<void> {
  const store = await Store.make();
  const files = ['', '-head'].map((end) => ({ end, bytes: readFileSync(store.file + end) }));
  await store.grow();
  rmSync(store.kept.checkpoint);
  await store.run('audit', 'checkpoint', '--out', store.kept.checkpoint);
  for (const end of ['-wal', '-shm']) rmSync(store.file + end, { force: true });
  for (const { end, bytes } of files) writeFileSync(store.file + end, bytes);
  await store.isNotFoundBy('verify');
  expect(await store.start()).toContain('answers at');
  await store.isFoundBy(store.audit, /the log ends at position 5/);
}

async function rewritten(): Promise<void> {
  const store = await Store.make();
  store.rewrite(OTHER_PET);
  await store.isNotFoundBy('verify');
  await store.isFoundBy(store.audit, /has another root for these 5 events/);
}

async function rewrittenSince(): Promise<void> {
  const store = await Store.make();
  await store.grow();
  const receipt = (await store.run('audit', 'receipt', '--position', '6')).out;
  rmSync(`${store.file}-signing-key-away`, { force: true });
  renameSync(`${store.file}-signing-key`, `${store.file}-signing-key-away`);
  store.rewrite(OTHER_PET.replace('position = 1', 'position = 6'));
  renameSync(`${store.file}-signing-key-away`, `${store.file}-signing-key`);
  await store.isNotFoundBy('verify');
  await store.isNotFoundBy(...store.audit);
  const signed = (await store.run('audit', 'checkpoint')).out;
  const key = readFileSync(store.kept.key, 'utf8').trim();
  expect(verifyCheckpoint(signed, key)).toMatchObject({ ok: true, value: { size: 6 } });
  // The earlier receipt contains a checkpoint, which detects it.
  const note = store.place.write('note', JSON.parse(receipt).checkpoint);
  await store.isFoundBy(['verify', '--checkpoint', note, '--key', key], /another root for these 6/);
}

async function damagedWal(): Promise<void> {
  const store = new Store();
  const child = startProgram('append-batches', store.file, 'kill', '1000', '1', '1', '1');
  while ((await child.line()) !== undefined);
  const wal = readFileSync(`${store.file}-wal`);
  wal[100] = (wal[100] as number) ^ 1;
  writeFileSync(`${store.file}-wal`, wal);
  expect(await store.start()).toContain('-wal is damaged at frame 1');
  wal[100] = (wal[100] as number) ^ 1;
  wal[wal.length - 200] = (wal[wal.length - 200] as number) ^ 1;
  writeFileSync(`${store.file}-wal`, wal);
  expect(await store.start()).toMatch(/ends at position \d+, but position \d+ was acknowledged/);
}

/** A store that was restored from a backup, and a checkpoint stored after the backup. */
async function goneOnFromBackup(): Promise<Store> {
  const store = await Store.make();
  const backup = store.place.file('backup.db');
  await store.run('backup', backup);
  await store.grow();
  rmSync(store.kept.checkpoint);
  await store.run('audit', 'checkpoint', '--out', store.kept.checkpoint);
  for (const end of ['-wal', '-shm']) rmSync(store.file + end, { force: true });
  copyFileSync(backup, store.file);
  expect(await store.reallyStart()).toContain('answers at');
  return store;
}

async function restored(): Promise<void> {
  const store = await Store.makeGoneOn();
  const { out } = await store.run('audit', 'checkpoint');
  expect(out).toMatch(/^store-orders\/[0-9a-f]{16}\+1\.[0-9a-f]{32}\n5\n/);
  expect((await store.run('verify')).out).toContain('epoch');
  await store.isFoundBy(store.audit, /was signed in epoch 0, and the log was cut at position 5/);
}

async function marked(): Promise<void> {
  const store = await Store.make();
  const backup = store.place.file('backup.db');
  await store.run('backup', backup);
  for (const [mark, says] of [
    [1, /is marked as a backup, and its log has all that was acknowledged/],
    [3, /the mark of the store as a copy is damaged/],
  ] as const) {
    store.tamper(`UPDATE store SET is_copy = ${mark}`);
    await store.isFoundBy(['verify'], says);
    expect(await store.start()).toMatch(says);
  }
  store.tamper(`ATTACH '${backup}' AS b; UPDATE store SET is_copy = (SELECT is_copy FROM b.store)`);
  await store.isNotFoundBy('verify');
  expect(await store.reallyStart()).toMatch(
    /"cause":"the store is a backup","msg":"a new epoch has begun"/,
  );
  expect((await store.run('audit', 'epochs')).out).toContain('copy_continued');
}

async function withoutTheCut(): Promise<void> {
  for (const statement of [
    'DELETE FROM epochs',
    `UPDATE epochs SET statement = replace(statement, '"position":5', '"position":4')`,
  ]) {
    const store = await Store.makeGoneOn();
    rmSync(store.kept.checkpoint);
    await store.run('audit', 'checkpoint', '--out', store.kept.checkpoint);
    store.tamper(statement);
    await store.isFoundBy(store.audit, /which is none of this log|is not whole/);
    expect(await store.start()).not.toContain('answers at');
  }
}

async function otherId(): Promise<void> {
  const store = await Store.make();
  store.tamper(`UPDATE store SET id = '0123456789abcdef'`);
  await store.isFoundBy(['verify'], /-head is of the store \w{16}, and this is 0123456789abcdef/);
  expect(await store.start()).toContain('is not the log whose position 5 was acknowledged');
  const onPostgres = await Place.onPostgres();
  const { url = '' } = onPostgres;
  await onPostgres.run('import', onPostgres.write('orders.csv', ORDERS));
  const change = `UPDATE store_orders.store SET id = '0123456789abcdef'`;
  await expect(sql(url, change)).rejects.toThrow('the store keeps its id');
  const folder = store.place.folder;
  const at = (id: string) => join(folder, `postgres-${id}-head`);
  await (await openPostgresStore(url, watcher(), undefined, at)).close();
  await tamperOnPostgres(url, change);
  const again = openPostgresStore(url, watcher(), undefined, at);
  await expect(again).rejects.toThrow('has the id 0123456789abcdef, and had the id');
}

/** A store with an API key, and an SQL statement that renames the key. */
async function withApiKey() {
  const store = await Store.make();
  await store.run('keys', 'create', '--name', 'shop', '--scopes', 'orders:write');
  return store;
}

async function withoutRevocation(): Promise<void> {
  const store = await withApiKey();
  const before = readFileSync(store.file);
  const [id = ''] = (await store.run('keys', 'list')).out.match(/\b[0-9A-Za-z]{10}\b/) ?? [];
  await store.run('keys', 'revoke', id);
  writeFileSync(store.file, before);
  const says = /has 1 changes of API keys, and 2 were acknowledged/;
  await store.isFoundBy(['verify'], says);
  expect(await store.start()).toMatch(says);
  truncateSync(`${store.file}-head`, 1_024);
  await store.isNotFoundBy(...store.audit);
}

async function revivedKey(): Promise<void> {
  const store = await Store.make();
  const { out } = await store.run('keys', 'create', '--name', 'shop');
  await store.run('keys', 'revoke', out.trim());
  store.tamper('DELETE FROM api_keys');
  // In a log of JSON, a backslash precedes each quote.
  const says = /the row \\?"\w{10}\\?" of api_keys is not as it was recorded/;
  expect(await store.reallyStart({ INITIAL_API_KEY: out.trim() })).toMatch(says);
  await store.isFoundBy(['verify'], says);
  expect(await store.start()).toMatch(says);
}

async function renamedKey(): Promise<void> {
  const store = await withApiKey();
  const rename = `UPDATE api_keys SET name = 'boss'`;
  const db = new Database(store.file);
  expect(() => db.exec(rename)).toThrow(/only added, limited and revoked/);
  const others =
    'hash, scopes, created_at, expires_at, revoked_at, checksum, limits, limits_checksum';
  const replace = `REPLACE INTO api_keys SELECT id, 'boss', ${others} FROM api_keys`;
  expect(() => db.exec(replace)).toThrow(/only added, limited and revoked/);
  db.close();
  store.tamper(rename);
  await store.isFoundBy(['verify'], /API key|api_keys|checksum/);
  expect((await store.place.run('keys', 'list')).code).not.toBe(0);
  const onPostgres = await Place.onPostgres();
  const { url = '' } = onPostgres;
  expect((await onPostgres.run('keys', 'create', '--name', 'shop')).code).toBe(0);
  const renameThere = `UPDATE store_orders.api_keys SET name = '"boss"'`;
  await expect(sql(url, renameThere)).rejects.toThrow(/only added, limited and revoked/);
  await expect(sql(url, 'DELETE FROM store_orders.api_keys')).rejects.toThrow(/append-only/);
  await tamperOnPostgres(url, renameThere);
  expect((await onPostgres.run('verify')).out).toMatch(/the row "\w{10}" of api_keys is not/);
  expect((await onPostgres.run('keys', 'list')).code).not.toBe(0);
}

async function addedKey(): Promise<void> {
  const store = await withApiKey();
  const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at';
  const db = new Database(store.file);
  const [, , ...others] = db.prepare(`SELECT ${columns} FROM api_keys`).raw().get() as string[];
  const row = ['AbCdEfGh01', 'boss', ...others];
  const insert = db.prepare(`INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)`);
  insert.run(...row, checksumOf('api_keys', row));
  db.close();
  await store.isNotFoundBy(...store.audit);
  expect(await store.start()).toContain('answers at');
  expect((await store.run('keys', 'list')).out).toContain('boss');
}

async function aheadOfTheLog(): Promise<void> {
  for (const row of [
    `event_traces VALUES (6, '${TRACEPARENT}')`,
    `tree_nodes VALUES (8, 0, x'')`,
  ]) {
    const store = await Store.make();
    const db = new Database(store.file);
    expect(() => db.exec(`INSERT INTO ${row}`)).toThrow(Database.SqliteError);
    db.close();
    store.tamper(`INSERT INTO ${row}`);
    await store.isFoundBy(['verify'], /is of no event|belong to no event/);
    expect(await store.start()).toMatch(/is of no event|belong to no event/);
  }
}

async function plantedCut(): Promise<void> {
  const store = await Store.make();
  const backup = store.place.file('backup.db');
  await store.run('backup', backup);
  const restored = {
    DATABASE_URL: `sqlite:${backup}`,
    SIGNING_KEY_FILE: `${store.file}-signing-key`,
  };
  expect(await store.reallyStart(restored)).toContain('a new epoch has begun');
  const db = new Database(store.file);
  db.exec(`ATTACH '${backup}' AS b; INSERT INTO epochs SELECT * FROM b.epochs`);
  db.close();
  const says = /has the statement of epoch 1, and .*-head ends with epoch 0/;
  await store.isFoundBy(['verify'], says);
  expect(await store.start()).toMatch(says);
  expect((await store.place.run('audit', 'checkpoint')).err).toMatch(says);
}

async function renamedKeyWithItsChecksum(): Promise<void> {
  const store = await withApiKey();
  const before = store.place.file('before.ndjson');
  await store.run('audit', 'export', '--out', before);
  tamper(store.file, (db) => {
    const columns = 'id, name, hash, scopes, created_at, expires_at, revoked_at';
    db.exec(`UPDATE api_keys SET name = 'boss'`);
    const row = db.prepare(`SELECT ${columns} FROM api_keys`).raw().get();
    const checksum = checksumOf('api_keys', row as never);
    db.prepare('UPDATE api_keys SET checksum = ?').run(checksum);
    db.prepare('UPDATE key_changes SET checksum = ?').run(checksum);
  });
  await store.isNotFoundBy(...store.audit);
  expect((await store.run('keys', 'list')).out).toContain('boss');
}

async function changedRefusal(): Promise<void> {
  const records = [1, 2, 3].map((number) => refusal(number));
  const says = 'the refusal at position 2 is not as it was recorded';
  const store = await Store.make();
  const trail = new SqliteRefusals(store.file);
  await trail.append(records);
  trail.close();
  const change = `UPDATE refusals SET record = replace(record, '"2"', '"3"') WHERE position = 2`;
  const db = new Database(`${store.file}-refusals`);
  expect(() => db.exec(change)).toThrow(/append-only/);
  expect(() => db.exec('DELETE FROM refusals')).toThrow(/append-only/);
  db.close();
  await store.isNotFoundBy('verify');
  tamper(`${store.file}-refusals`, (there) => void there.exec(change));
  await store.isFoundBy(['verify'], new RegExp(says));
  expect(await store.start()).toContain(says);
  const onPostgres = await Place.onPostgres();
  const { url = '' } = onPostgres;
  const database = new Postgres(url);
  await new PostgresRefusals(database).append(records);
  await database.close();
  const changeThere = change.replace('refusals', 'store_orders.refusals');
  for (const statement of [changeThere, 'DELETE FROM store_orders.refusals'])
    await expect(sql(url, statement)).rejects.toThrow(/append-only/);
  expect((await onPostgres.run('verify')).code).toBe(0);
  await tamperOnPostgres(url, changeThere);
  expect(await onPostgres.run('verify')).toMatchObject({
    code: 3,
    out: expect.stringContaining(says),
  });
}

/** Sends a command that places an order, again and again the same, and returns the id of the order. */
async function placedOnce(file: string): Promise<bigint | undefined> {
  const log = openLog(file, openDatabase(file));
  const writer = await Writer.open(log);
  const command = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
  const [outcome] = await writer.execute([
    { command, by: 'AbCdEfGh01', commandId: 'c', idempotencyKey: 'k' },
  ]);
  await log.close();
  return outcome?.kind === 'accepted' ? outcome.orderId : undefined;
}

async function otherOutcomeWithItsChecksum(): Promise<void> {
  const store = await Store.make();
  expect([await placedOnce(store.file), await placedOnce(store.file)]).toStrictEqual([4n, 4n]);
  tamper(store.file, (db) => {
    db.exec('UPDATE kept_outcomes SET order_id = 1');
    const columns = 'asked_by, key, fingerprint, order_id, version, refusal';
    const row = db.prepare(`SELECT ${columns} FROM kept_outcomes`).safeIntegers().raw().get();
    const checksum = checksumOf('kept_outcomes', row as never);
    db.prepare('UPDATE kept_outcomes SET checksum = ?').run(checksum);
  });
  await store.isNotFoundBy(...store.audit);
  expect(await placedOnce(store.file)).toBe(1n);
}

async function changedExport(): Promise<void> {
  const store = await Store.make();
  const key = ['--key', store.kept.key];
  const whole = (await store.run('audit', 'export')).out;
  const changes: readonly ((text: string) => string)[] = [
    (text) => text.replaceAll(/(?<=orders\/)\w{16}(?=")/g, '0123456789abcdef'),
    (text) => text.replace('"by":"import"', '"by":"import","keyname":"boss"'),
    (text) => text.replace('"by":"import"', '"by":"someone"'),
    (text) => text.replace('"petId":"7"', '"petId":"8"'),
    (text) => text.replace(/.*\n$/, ''),
  ];
  for (const change of changes) {
    expect(change(whole)).not.toBe(whole);
    const file = store.place.write('changed.ndjson', change(whole));
    await store.isFoundBy(['verify', '--export', file, ...key], /Verification failed/);
    expect((await new Place().run('audit', 'import', file, ...key)).code).toBe(3);
  }
}

async function strangeExport(): Promise<void> {
  const [store, strange] = [await Store.make(), await Store.makeAnother()];
  const file = strange.place.file('strange.ndjson');
  await strange.run('audit', 'export', '--out', file);
  const other = new Place();
  expect((await other.run('audit', 'import', file)).code).toBe(2);
  expect((await other.run('audit', 'import', file, '--key', store.kept.key)).code).toBe(3);
  expect(await other.run('audit', 'import', file, '--unsigned')).toMatchObject({
    code: 0,
    err: expect.stringContaining('Not checked: who signed it'),
  });
}

async function withoutItsKey(): Promise<void> {
  const store = await Store.make();
  const key = `${store.file}-signing-key`;
  const { name } = NoteSigner.parse(readFileSync(key, 'utf8').trim());
  rmSync(key);
  expect(await store.reallyStart()).toContain(
    'is missing, and this store has signed with the key in it',
  );
  expect((await store.place.run('audit', 'checkpoint')).code).toBe(1);
  writeFileSync(key, NoteSigner.generate(name).privateKey());
  if (isNightly) {
    const says = 'has another key than the one that signs for this store';
    expect(await store.reallyStart()).toContain(says);
  }
  expect((await store.place.run('audit', 'checkpoint')).code).toBe(1);
}

async function otherRecordOfItsKey(): Promise<void> {
  const { verifierKey } = NoteSigner.generate('store-orders/0011223344556677');
  for (const [row, says] of [
    [`2, 'x', '${NOON}'`, /row 2 of the record of signing keys is not what was recorded/],
    [`2, '${verifierKey}', '${NOON}'`, /has another key than|is another than the one that signs/],
  ] as const) {
    const store = await Store.make();
    store.tamper(`INSERT INTO signing_keys VALUES (${row})`);
    await store.isFoundBy(['verify'], says);
    if (isNightly) expect(await store.reallyStart()).toMatch(says);
    expect((await store.place.run('audit', 'checkpoint')).code).toBe(1);
  }
  const store = await Store.make();
  store.tamper(`UPDATE signing_keys SET since = '${NOON}'`);
  await store.isNotFoundBy(...store.audit);
  expect(await store.start()).toContain('answers at');
}

async function otherTrace(): Promise<void> {
  const store = await Store.make();
  store.tamper(`INSERT OR REPLACE INTO event_traces VALUES (1, '${TRACEPARENT}')`);
  await store.isNotFoundBy(...store.audit);
  expect(await store.start()).toContain('answers at');
  const file = store.place.file('traced.ndjson');
  await store.run('audit', 'export', '--out', file);
  expect(readFileSync(file, 'utf8')).toContain(`"traceparent":"${TRACEPARENT}"`);
  await store.isNotFoundBy('verify', '--export', file, '--key', store.kept.key);
}

async function withoutTheRecordOfItsKey(): Promise<void> {
  const store = await Store.make();
  rmSync(`${store.file}-signing-key`);
  store.tamper('DELETE FROM signing_keys');
  await store.isNotFoundBy(...store.audit);
  const signed = store.place.write('signed', (await store.run('audit', 'checkpoint')).out);
  const args = ['verify', '--checkpoint', signed, '--key', store.kept.key];
  await store.isFoundBy(args, /the note is not signed with the public key/);
}

async function forged(): Promise<void> {
  const store = await Store.make();
  const { key } = store.kept;
  const receipt = (await store.run('audit', 'receipt', '3')).out;
  const note = readFileSync(store.kept.checkpoint, 'utf8');
  const stranger = NoteSigner.generate(note.split('\n')[0] as string);
  const { size, root } = headOf(note, readFileSync(key, 'utf8').trim());
  const otherOrder = receipt.replace(/orderId\\":\\"3/, 'orderId\\":\\"1');
  const otherHash = receipt.replace(/(?<="proof":\[")./, (one) => (one === 'A' ? 'B' : 'A'));
  for (const text of [otherOrder, otherHash]) {
    expect(text).not.toBe(receipt);
    const file = store.place.write('receipt', text);
    await store.isFoundBy(['verify', '--receipt', file, '--key', key], /Verification failed/);
  }
  for (const text of [note.replace('\n5\n', '\n4\n'), stranger.signCheckpoint(size, root)]) {
    const file = store.place.write('note', text);
    await store.isFoundBy(['verify', '--checkpoint', file, '--key', key], /sign/);
  }
}

async function ofSomethingElse(): Promise<void> {
  const store = await Store.make();
  const file = store.place.file('receipt.json');
  await store.run('audit', 'receipt', '--position', '1', '--out', file);
  const ran = await store.place.run(
    'verify',
    '--receipt',
    file,
    '--order',
    '3',
    '--key',
    store.kept.key,
  );
  expect(ran.code).toBe(4);
  expect(ran.out).toContain('The receipt is genuine, but does not show that order 3 was cancelled');
}

async function stolenKey(): Promise<void> {
  const store = await Store.make();
  const witness = await witnessed(store);
  store.rewrite(OTHER_PET);
  // The key signs the rewritten log: the new checkpoint is valid, but the old one no longer matches.
  const signed = store.place.write('signed', (await store.run('audit', 'checkpoint')).out);
  await store.isNotFoundBy('verify', '--checkpoint', signed, '--key', store.kept.key);
  await store.isFoundBy(store.audit, /has another root for these 5 events/);
  await isNotWitnessed(store, witness);
}

async function forkedView(): Promise<void> {
  const store = await Store.make();
  const witness = await witnessed(store);
  const key = readFileSync(store.kept.key, 'utf8').trim();
  const mine = headOf(readFileSync(store.kept.checkpoint, 'utf8'), key);
  store.rewrite(OTHER_PET);
  await store.grow();
  const theirs = headOf((await store.run('audit', 'checkpoint')).out, key);
  const { proof } = JSON.parse((await store.run('audit', 'prove', '--consistency', '5')).out);
  const hashes = proof.map((hash: string) => Buffer.from(hash, 'base64'));
  expect(verifyConsistency(mine, theirs, hashes).ok).toBe(false);
  expect(mine.root).not.toEqual(new RecordTree().head().root);
  await isNotWitnessed(store, witness);
}

/** A witness of a store's log, which has cosigned the auditor's checkpoint. */
async function witnessed(store: Store) {
  const [vkey, note] = [store.kept.key, store.kept.checkpoint].map((file) => {
    return readFileSync(file, 'utf8');
  }) as [string, string];
  const logs = knownLogs([vkey.trim()]);
  if (!logs.ok) return expect.fail(logs.reason);
  const folder = store.place.folder;
  const cosigner = Cosigner.generate('witness.example/w1');
  const { memory } = openWitnessMemory(join(folder, 'witness.db'), {
    file: join(folder, 'witness.key'),
    read: () => undefined,
    make: () => cosigner,
  });
  const witness = new Witness({ cosigner, logs: logs.value, memory });
  const policy = store.place.write('policy', `witness w1 ${cosigner.verifierKey}\nquorum w1\n`);
  /** Submits a checkpoint, and returns the answer and a file with what was cosigned. */
  const submit = (oldSize: number, note: string, proof: readonly Uint8Array[] = []) => {
    const answer = witness.add(witnessRequestText({ oldSize, proof, note }));
    const line = answer.kind === 'cosigned' ? answer.line : '';
    return { answer, file: store.place.write('cosigned', note + line) };
  };
  const args = ['--key', store.kept.key, '--witness-policy', policy];
  const { file } = submit(0, note);
  await store.isNotFoundBy('verify', '--checkpoint', file, ...args);
  return { cosigner, submit, args };
}

/** Shows that no witness cosigns the checkpoint of a log that has diverged. */
async function isNotWitnessed(
  store: Store,
  { submit, args }: Awaited<ReturnType<typeof witnessed>>,
) {
  const signed = (await store.run('audit', 'checkpoint')).out;
  const { size } = headOf(signed, readFileSync(store.kept.key, 'utf8').trim());
  const proved = ['audit', 'prove', '--consistency', '5'];
  const { proof } = size === 5 ? { proof: [] } : JSON.parse((await store.run(...proved)).out);
  const hashes = proof.map((hash: string) => new Uint8Array(Buffer.from(hash, 'base64')));
  const { answer, file } = submit(5, signed, hashes);
  expect(answer).toMatchObject({ kind: 'refused', fault: 'inconsistent' });
  await store.isFoundBy(['verify', '--checkpoint', file, ...args], /no quorum of witnesses/);
}

async function colluding(): Promise<void> {
  const store = await Store.make();
  const { cosigner, args } = await witnessed(store);
  const key = readFileSync(store.kept.key, 'utf8').trim();
  const mine = headOf(readFileSync(store.kept.checkpoint, 'utf8'), key);
  store.rewrite(OTHER_PET);
  const signed = (await store.run('audit', 'checkpoint')).out;
  const text = signed.slice(0, signed.indexOf('\n\n') + 1);
  const file = store.place.write('cosigned', signed + cosigner.cosign(text, 1_800_000_000));
  await store.isNotFoundBy('verify', '--checkpoint', file, ...args);
  expect(verifyConsistency(mine, headOf(signed, key), []).ok).toBe(false);
}

function headOf(note: string, key: string) {
  const verdict = verifyCheckpoint(note, key);
  return verdict.ok ? verdict.value : expect.fail(verdict.reason);
}

/** For each row, keyed by its first words: the attack that carries it out. */
async function forgedSnapshot(): Promise<void> {
  const store = await Store.make();
  const db = new Database(store.file);
  const list = new OrderList(() => undefined);
  for await (const events of new SqliteEventLog(db).read(0)) {
    for (const { event, ...recorded } of events) {
      const { orderId } = event;
      const other = { type: 'OrderShipped', orderId, shipDate: NOON } as const;
      list.fold({ ...recorded, event: event.type === 'OrderCancelled' ? other : event });
    }
  }
  const snapshots = new SnapshotFile(snapshotBeside(store.file), storeIdOf(db), rootsIn(db));
  snapshots.sealWith(snapshotKeyOf(undefined));
  await snapshots.save(list.pack());
  db.close();
  expect((await store.run('audit', 'show', '3')).out).toContain('OrderCancelled');
  expect(await store.reallyStart()).toContain('it is sealed with another key');
}

const ATTACKS: Readonly<Record<string, () => Promise<void>>> = {
  'changes an event, through': guarded,
  'appends an event by SQL': appended,
  'changes an event by other means': edited,
  'changes the time or the author': misattributed,
  'inserts an impossible event': impossible,
  'swaps, inserts or removes': inTheMiddle,
  'deletes the tail, and recomputes': cutOffWithItsTree,
  'deletes the tail': cutOff,
  'deletes the head file as well': withoutHeadFile,
  'restores an older copy of both': olderCopyOfBoth,
  'rewrites the log, and recomputes': rewritten,
  'rewrites the log while': whileItRuns,
  'rewrites only events after': rewrittenSince,
  'has a trigger on PostgreSQL': dropped,
  'damages the `-wal` file': damagedWal,
  'changes the id of the store': otherId,
  'restores yesterday': restored,
  'removes or changes the statement': withoutTheCut,
  'adds a statement': plantedCut,
  'adds a node of the tree': aheadOfTheLog,
  'adds an API key': addedKey,
  'undoes the last changes': withoutRevocation,
  'makes a revoked API key valid': revivedKey,
  'changes an API key by SQL': renamedKey,
  'changes an API key, and recomputes': renamedKeyWithItsChecksum,
  'marks a store': marked,
  'makes a snapshot': forgedSnapshot,
  'changes a refusal': changedRefusal,
  'changes the outcome that is kept': otherOutcomeWithItsChecksum,
  'changes the trace': otherTrace,
  'changes the `source`': changedExport,
  'imports an export': strangeExport,
  'removes the signing key, or': withoutItsKey,
  "changes the store's record": otherRecordOfItsKey,
  'removes the signing key and': withoutTheRecordOfItsKey,
  'forges a receipt': forged,
  'presents a genuine receipt': ofSomethingElse,
  '[steals the signing key]': stolenKey,
  'shows one log to you': forkedView,
  'does the same, and colludes': colluding,
};

test.each(ROWS)('Somebody who %s is detected as documented: %s', async (does) => {
  const [, attack] = Object.entries(ATTACKS).find(([words]) => does?.startsWith(words)) ?? [];
  if (attack === undefined) expect.fail(`nothing carries out: ${does}`);
  await attack();
});

test('Every attack is a row of the table', () => {
  for (const words of Object.keys(ATTACKS)) {
    expect(
      ROWS.filter(([does]) => does?.startsWith(words)),
      words,
    ).not.toEqual([]);
  }
});
