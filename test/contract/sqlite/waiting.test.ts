import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { type FoldInput, foldInputOf } from '../../../src/app/log/recorded-event.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { EventLogReader, FoldSource } from '../../../src/app/ports/event-log.ts';
import type { Store, StoreParts } from '../../../src/app/ports/store.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { acceptLossInSqlite } from '../../../src/infra/sqlite/accept-loss.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { SCHEMA_VERSION } from '../../../src/infra/sqlite/schema.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { LATER, NOON, readAll, TRACEPARENT } from '../../support/events.ts';
import { emptyStore } from '../../support/older-store.ts';
import { canMount, coverReadOnly, SmallDisk } from '../../support/small-disk.ts';
import { honestStore, tamper } from '../../support/tampering.ts';
import { seed } from '../../support/witnessed-log.ts';

const EVENTS = 70;
const DISK_KIB = 4_096;
/** Longer than the interval between two attempts to write, and than that of a watched log. */
const WITHIN = { timeout: 20_000, interval: 20 };

const KEY = {
  id: 'AbCdEfGh01',
  name: 'the warehouse',
  hash: Buffer.alloc(32, 7),
  scopes: ['orders:read'],
  createdAt: NOON,
} as const;
const { verifierKey } = new NoteSigner('store-orders/a', seed(1));
const SIGNING_KEY = { verifierKey, since: NOON };

const place: Submission = {
  command: { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 },
  by: 'test',
  commandId: 'c-1',
};

/** Fills a store on a disk of its own with something of everything, and returns the closed file. */
async function storeOnDisk(kibibytes = DISK_KIB): Promise<{ disk: SmallDisk; file: string }> {
  const disk = new SmallDisk(kibibytes);
  const file = await honestStore(join(disk.folder, 'store.db'), 7n, EVENTS);
  const store = openSqliteForCommandLine(file);
  const writer = await Writer.open(store.log);
  await writer.execute([{ ...place, traceparent: TRACEPARENT }]);
  await store.keys.add(KEY);
  await store.signingKeys.add(SIGNING_KEY, 0);
  await store.close();
  leaveOpened(file);
  return { disk, file };
}

/** Leaves the files beside a store's that are there while it is in use, as a killed process does. */
function leaveOpened(file: string): void {
  const [writer, reader] = [new Database(file), new Database(file, { readonly: true })];
  for (const db of [writer, reader]) db.prepare('SELECT count(*) FROM sqlite_schema').get();
  writer.close();
  // The last one, which may not remove them.
  reader.close();
}

interface Noted {
  /** What a watcher was told, in order: an impairment, its end with a minus, or `lost`. */
  readonly told: string[];
  readonly lost: Error[];
}

/** Opens a store as a server does. */
async function serve(file: string): Promise<Noted & { readonly store: Store }> {
  const told: string[] = [];
  const lost: Error[] = [];
  const store = await openSqliteStore(file, {
    impaired: (reason) => void told.push(reason),
    mended: (reason) => void told.push(`-${reason}`),
    lost: (cause) => void lost.push(cause),
  });
  onTestFinished(() => store.close());
  return { store, told, lost };
}

function begin(store: Store): Promise<void> {
  return store.begin(Writer.startOf(new OrderList(() => null)));
}

async function outcomeOf(store: Store): Promise<string | undefined> {
  const [outcome] = await store.writer.execute([place]);
  return outcome?.kind;
}

type Read = Omit<StoreParts, 'refusals'> &
  Pick<Store, 'id' | 'epochs'> & { readonly log: EventLogReader; readonly foldSource?: FoldSource };

/** Reads whatever there is to be read. */
async function readingsOf({ id, epochs, log, foldSource, trail, keys, signingKeys }: Read) {
  const head = await trail.treeHead();
  const folded: FoldInput[] = [];
  while ((await foldSource?.next(folded.length, (input) => folded.push({ ...input }) > 0)) !== 0);
  return {
    id,
    epochs,
    head,
    size: await log.head(),
    events: await readAll(log),
    behind: await readAll(log, EVENTS),
    folded,
    stored: await trail.stored(3, EVENTS),
    traces: await trail.traces([EVENTS, EVENTS + 1]),
    leaves: await trail.leaves(2, 9),
    nodes: await trail.nodes(8, 0, 0),
    keys: await keys.list(),
    key: await keys.find(KEY.id),
    signingKeys: await signingKeys.list(),
  };
}

async function readingsIn(file: string) {
  const store = openSqliteForCommandLine(file);
  const readings = await readingsOf(store);
  await store.close();
  return readings;
}

describe.skipIf(!canMount)('a store whose disk cannot be written (needs a right to mount)', () => {
  it('is read as any other, and takes no command', async () => {
    const { disk, file } = await storeOnDisk();
    const expected = await readingsIn(file);
    expect(expected.size).toBe(EVENTS + 1);
    expect(expected.folded).toStrictEqual(expected.events.map(foldInputOf));
    expect(expected.traces).toStrictEqual(new Map([[EVENTS + 1, TRACEPARENT]]));
    leaveOpened(file);
    writeFileSync(`${file}-snapshot`, 'no snapshot');
    disk.remount('ro');
    const { store, told, lost } = await serve(file);
    expect(told).toStrictEqual(['storage_failing']);
    expect(await readingsOf(store)).toStrictEqual(expected);
    expect(await store.snapshots.load()).toStrictEqual({
      kind: 'none',
      reason: 'it is damaged, and cannot be removed',
    });
    await begin(store);
    expect(await store.writer.execute([place])).toStrictEqual([
      { kind: 'unavailable', cause: 'the store cannot be written yet' },
    ]);
    await expect(store.keys.add({ ...KEY, id: '0000000000' })).rejects.toThrow();
    await expect(store.keys.limit(KEY.id, { concurrent: 1 })).rejects.toThrow();
    await expect(store.keys.revoke(KEY.id, LATER)).rejects.toThrow();
    await expect(store.signingKeys.add(SIGNING_KEY, 1)).rejects.toThrow();
    await expect(store.snapshots.save?.(new OrderList(() => null).pack())).rejects.toThrow();
    await expect(store.snapshots.renew?.(AbortSignal.abort())).rejects.toThrow();
    expect(await readingsOf(store)).toStrictEqual(expected);
    expect([told, lost]).toStrictEqual([['storage_failing'], []]);
  });

  it('is written as soon as it can be, over connections that can, too', async () => {
    const { disk, file } = await storeOnDisk();
    disk.remount('ro');
    const { store, told, lost } = await serve(file);
    await begin(store);
    let grown = 0;
    const ignored = store.log.watch(() => expect.unreachable('it is watched no more'));
    ignored();
    // More than one attempt to write fails.
    await wait(2_500);
    expect(told).toStrictEqual(['storage_failing']);
    const stop = store.log.watch(() => {
      grown += 1;
    });
    disk.remount('rw');
    await expect.poll(() => outcomeOf(store), WITHIN).toBe('accepted');
    expect(told).toStrictEqual(['storage_failing', '-storage_failing']);
    await expect.poll(() => grown, WITHIN).toBeGreaterThan(0);
    stop();
    expect(await store.keys.revoke(KEY.id, LATER)).toBe(true);
    expect(await store.keys.limit(KEY.id, { concurrent: 1 })).toBe(true);
    await store.keys.add({ ...KEY, id: '0000000000' });
    expect(await store.signingKeys.add(SIGNING_KEY, 1)).toBe(true);
    expect(await readingsOf(store)).toStrictEqual(await readingsIn(file));
    expect(await store.log.head()).toBe(EVENTS + 2);
    await expect(serve(file)).rejects.toThrow('Another server is running on');
    expect(lost).toStrictEqual([]);
    const seen = grown;
    await outcomeOf(store);
    await expect.poll(() => store.log.head(), WITHIN).toBe(EVENTS + 3);
    // Longer than the interval at which a watched log is read.
    await wait(300);
    expect(grown).toBe(seen);
  });

  it('is waited for, too, if its file alone cannot be written', async () => {
    const { file } = await storeOnDisk();
    const expected = await readingsIn(file);
    const uncover = coverReadOnly(file);
    const { store, told } = await serve(file);
    await begin(store);
    expect(told).toStrictEqual(['storage_failing']);
    expect(await outcomeOf(store)).toBe('unavailable');
    expect(await readingsOf(store)).toStrictEqual(expected);
    uncover();
    await expect.poll(() => outcomeOf(store), WITHIN).toBe('accepted');
    expect(told).toStrictEqual(['storage_failing', '-storage_failing']);
    await store.keys.add({ ...KEY, id: '0000000000' });
  });

  it('takes commands after it is begun, if it can be written before that', async () => {
    const { disk, file } = await storeOnDisk();
    disk.remount('ro');
    const { store, told } = await serve(file);
    disk.remount('rw');
    await expect.poll(() => told, WITHIN).toStrictEqual(['storage_failing', '-storage_failing']);
    expect(await outcomeOf(store)).toBe('unavailable');
    await begin(store);
    expect(await outcomeOf(store)).toBe('accepted');
  });

  it('says so if nothing beside it is left, without which it cannot be read there', async () => {
    const { disk, file } = await storeOnDisk();
    await readingsIn(file);
    disk.remount('ro');
    await expect(serve(file)).rejects.toThrow(
      `${file} cannot be opened: unable to open database file (SQLITE_CANTOPEN). ` +
        'It takes a folder that may be written to: copy it to one.',
    );
    expect(() => openSqliteForCommandLine(file)).toThrow('It takes a folder that');
    await expect(acceptLossInSqlite(file)).rejects.toThrow('It takes a folder that');
    disk.remount('rw');
    expect((await readingsIn(file)).size).toBe(EVENTS + 1);
  });

  it('may be closed while it waits, and is free then', async () => {
    const { disk, file } = await storeOnDisk();
    disk.remount('ro');
    const { store, told, lost } = await serve(file);
    await store.close();
    expect(openFilesIn(disk.folder)).toStrictEqual([]);
    disk.remount('rw');
    // Longer than the interval between two attempts.
    await wait(1_500);
    expect(readdirSync(disk.folder)).not.toContain('store.db-server');
    expect(told).toStrictEqual(['storage_failing']);
    const next = await serve(file);
    await begin(next.store);
    expect(await outcomeOf(next.store)).toBe('accepted');
    expect(lost).toStrictEqual([]);
  });

  it('is lost if the log turns out to be another one when it can be written', async () => {
    const { disk, file } = await storeOnDisk();
    disk.remount('ro');
    const { store, told, lost } = await serve(file);
    await begin(store);
    disk.remount('rw');
    // In one go with the line above: no attempt comes in between.
    rmSync(headFileOf(file));
    await expect.poll(() => lost, WITHIN).toHaveLength(1);
    expect(lost[0]).toBeInstanceOf(UserError);
    expect(lost[0]?.message).toContain('is missing or cannot be read');
    expect(told).toStrictEqual(['storage_failing']);
  });
});

const UNFIT: readonly (readonly [string, (file: string) => void | Promise<void>, RegExp])[] = [
  ['of an older schema', makeOlder, / has schema \d+ and cannot be brought up to \d+: /],
  ['that was only begun', beginOnly, /^There is no store yet, and none can be made: /],
  [
    'of another program',
    setApplication,
    / is a database of another program\. Nothing was changed\.$/,
  ],
  ['without its head file', (file) => rmSync(headFileOf(file)), / is missing or cannot be read/],
  ['that is a backup', makeBackup, / is a backup and cannot be continued: /],
  ['with a damaged -wal file', damageWal, /-wal is damaged at frame 1, /],
  ['that is not there', remove, /^There is no store yet, and none can be made: /],
];

describe.skipIf(!canMount).each([
  ['is mounted read-only', (disk: SmallDisk) => disk.remount('ro'), leaveOpened],
  ['is full', (disk: SmallDisk) => disk.fill(), () => {}],
])('a store on a disk that %s (needs a right to mount)', (_, close, leave) => {
  it.each(UNFIT)('is refused if it is one %s', async (_, change, message) => {
    const { disk, file } = await storeOnDisk();
    await change(file);
    if (change !== damageWal && existsSync(file)) leave(file);
    close(disk);
    const refused = await serve(file).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UserError);
    expect((refused as Error).message).toMatch(message);
    // Nothing is left open: neither a lock nor a file that is open for writing.
    await expect.poll(() => openFilesIn(disk.folder), WITHIN).toStrictEqual([]);
  });
});

describe.skipIf(!canMount)(
  'a store on a disk without room for an index (needs a right to mount)',
  () => {
    it('is read by this process alone until there is room, and then written', async () => {
      const { disk, file } = await storeOnDisk();
      const expected = await readingsIn(file);
      disk.fill();
      const { store, told } = await serve(file);
      await begin(store);
      expect(told).toStrictEqual(['storage_full']);
      expect(await readingsOf(store)).toStrictEqual(expected);
      expect(await outcomeOf(store)).toBe('unavailable');
      expect(() => inOtherConnection(file)).toThrow('database is locked');
      disk.free();
      await expect.poll(() => outcomeOf(store), WITHIN).toBe('accepted');
      expect(inOtherConnection(file)).toBe(EVENTS + 2);
      const ends = ['storage_full', '-storage_full'];
      expect(told).toStrictEqual(ends);
      disk.fill();
      await expect.poll(() => outcomeOf(store), WITHIN).toBe('unavailable');
      expect(told).toStrictEqual([...ends, 'storage_full']);
      disk.free();
      await expect.poll(() => told, WITHIN).toStrictEqual([...ends, ...ends]);
      expect(await outcomeOf(store)).toBe('accepted');
    });
  },
);

function inOtherConnection(file: string): unknown {
  const db = new Database(file, { timeout: 0 });
  try {
    return db.prepare('SELECT max(position) FROM events').pluck().get();
  } finally {
    db.close();
  }
}

/** Puts an empty store of the schema before the present one in the place of a store. */
function makeOlder(file: string): void {
  remove(file);
  emptyStore(file, SCHEMA_VERSION - 1).close();
}

/** Puts a database with nothing in it in the place of a store. */
function beginOnly(file: string): void {
  remove(file);
  const db = new Database(file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE one (n); DROP TABLE one');
  db.close();
}

function remove(file: string): void {
  for (const end of ['', '-wal', '-shm', '-head']) rmSync(file + end, { force: true });
}

function setApplication(file: string): void {
  tamper(file, (db) => db.pragma('application_id = 7'));
}

async function makeBackup(file: string): Promise<void> {
  const copy = `${file}-copy`;
  const store = openSqliteForCommandLine(file);
  await store.backup(copy);
  await store.close();
  copyFileSync(copy, file);
}

/** Leaves a `-wal` file of two commits, of which the first has a changed byte. */
function damageWal(file: string): void {
  const db = new Database(file);
  db.pragma('wal_autocheckpoint = 0');
  for (const version of [SCHEMA_VERSION, SCHEMA_VERSION]) db.pragma(`user_version = ${version}`);
  const wal = `${file}-wal`;
  copyFileSync(wal, `${wal}-copy`);
  db.close();
  const bytes = readFileSync(`${wal}-copy`);
  bytes[100] = (bytes[100] ?? 0) ^ 1;
  writeFileSync(wal, bytes);
}

/** Returns the files of a folder that this process has open. */
function openFilesIn(folder: string): readonly string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // It was closed meanwhile, as that of this folder itself.
      return '';
    }
  });
  return links.filter((link) => link.startsWith(folder));
}
