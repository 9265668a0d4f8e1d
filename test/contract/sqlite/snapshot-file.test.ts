import { createHash, createHmac } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OrderList } from '../../../src/app/state/order-list.ts';
import type { OrderId } from '../../../src/domain/order-id.ts';
import { checkSnapshot, SnapshotFile } from '../../../src/infra/snapshot/snapshot-file.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { rootsIn } from '../../../src/infra/sqlite/merkle-tables.ts';
import { LATER, NOON, newEvent, placed, readAll, recorded, shipped } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';

/** A store with two orders, and the list of them. */
/** The secret of the log, with which snapshots are sealed. */
const KEY = Buffer.alloc(32, 'k');

function snapshotFile(...given: ConstructorParameters<typeof SnapshotFile>): SnapshotFile {
  const snapshots = new SnapshotFile(...given);
  snapshots.sealWith(KEY);
  return snapshots;
}

async function given(storeId = 'this-store') {
  const file = temporaryFile();
  const db = openDatabase(file);
  onTestFinished(() => void db.close());
  const log = new SqliteEventLog(db);
  await log.append(0, () => [
    newEvent(placed(9_007_199_254_740_993n, { shipDate: NOON })),
    newEvent(placed(-3n)),
    newEvent(shipped(-3n, LATER), 2),
  ]);
  const list = new OrderList((orders) => orders);
  for (const event of await readAll(log)) list.fold(event);
  return {
    file,
    db,
    log,
    list,
    snapshots: snapshotFile(`${file}-snapshot`, storeId, rootsIn(db)),
  };
}

/** By day each of so many dense ids is looked up. */
const ASKED_BY_DAY = 17;

const range = (from: bigint, count: bigint) => {
  return Array.from({ length: Number(count) }, (_, n) => from + BigInt(n));
};

const none = (reason: string) => ({ kind: 'none', reason });

describe('the snapshot file', () => {
  it('gives back the list that was saved', async () => {
    const { list, snapshots } = await given();
    await snapshots.save(list.pack());
    const loaded = await snapshots.load();
    if (loaded.kind === 'none') throw new Error(loaded.reason);
    const again = new OrderList((orders) => orders, loaded.list);
    expect(again.encoded()).toStrictEqual(list.encoded());
    expect(loaded.list).toStrictEqual(list.pack());
  });

  it('is not there at first', async () => {
    const { snapshots } = await given();
    expect(await snapshots.load()).toStrictEqual(none('there is none'));
  });

  it('is not used by another version of the program', async () => {
    const { file, list, snapshots } = await given();
    await snapshots.save(list.pack());
    const name = `${file}-snapshot`;
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const bytes = readFileSync(name);
    const at = bytes.indexOf(version, bytes.indexOf('version'));
    expect(at).toBeGreaterThan(0);
    bytes.write(version.replace(/\d/, '9'), at);
    // The digest of the rest of the head stands first: of the seal, and of what that is made of, two
    // lengths, the structure, and one digest.
    const head = bytes.subarray(32, 64 + 8 + bytes.readUInt32LE(64) + 32);
    createHmac('sha256', KEY).update(head.subarray(32)).digest().copy(head);
    createHash('sha256').update(head).digest().copy(bytes);
    writeFileSync(name, bytes);
    expect(await snapshots.load()).toStrictEqual(none('it belongs to another version'));
  });

  it('is not used once a single bit of it has changed, or a part of it is missing', async () => {
    const { file, list, snapshots } = await given();
    await snapshots.save(list.pack());
    const name = `${file}-snapshot`;
    const bytes = readFileSync(name);
    const damaged = none('it is damaged');
    for (let at = 0; at < bytes.length; at += at < 600 ? 1 : 997) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      writeFileSync(name, changed);
      expect(await snapshots.load()).toStrictEqual(damaged);
      expect(existsSync(name)).toBe(false);
      writeFileSync(name, bytes.subarray(0, at));
      expect(await snapshots.load()).toStrictEqual(damaged);
    }
    writeFileSync(name, bytes);
    expect(await snapshots.load()).toMatchObject({ kind: 'found' });
  });

  it('is found damaged by the check, unless it was removed or replaced while it was read', async () => {
    const { file, list, snapshots } = await given();
    await snapshots.save(list.pack());
    const name = `${file}-snapshot`;
    const bytes = readFileSync(name);
    await expect(checkSnapshot(`${file}-snapshot`, async () => {})).resolves.toBeUndefined();
    const damage = () => writeFileSync(name, bytes.with(-1, (bytes.at(-1) as number) ^ 1));
    damage();
    await expect(checkSnapshot(`${file}-snapshot`, async () => {})).rejects.toThrow(
      'is damaged: delete it',
    );
    await expect(
      checkSnapshot(`${file}-snapshot`, async () => rmSync(name, { force: true })),
    ).resolves.toBeUndefined();
    damage();
    await expect(
      checkSnapshot(`${file}-snapshot`, () => snapshots.save(list.pack())),
    ).resolves.toBeUndefined();
    await expect(checkSnapshot(`${file}-snapshot`, async () => {})).resolves.toBeUndefined();
  });

  it('is not used where somebody made it who has not the key, and stays', async () => {
    const { file, db, list, snapshots } = await given();
    const forger = new SnapshotFile(`${file}-snapshot`, 'this-store', rootsIn(db));
    const nothing = { position: 0, positions: [] };
    for (const key of [undefined, new Uint8Array(), Buffer.alloc(32, 'l')]) {
      if (key !== undefined) forger.sealWith(key);
      await forger.save(list.pack());
      expect((await forger.load()).kind).toBe('found');
      expect(await snapshots.load()).toStrictEqual(none('it is sealed with another key'));
      expect(await snapshots.find(-3n as OrderId)).toStrictEqual(nothing);
      expect(existsSync(`${file}-snapshot`)).toBe(true);
    }
    await snapshots.save(list.pack());
    expect((await snapshots.load()).kind).toBe('found');
  });

  it('is not used for another store', async () => {
    const { file, db, list, snapshots } = await given();
    await snapshots.save(list.pack());
    const other = snapshotFile(`${file}-snapshot`, 'another-store', rootsIn(db));
    expect(await other.load()).toStrictEqual(none('it belongs to another store'));
  });

  it('is not used for a log that is shorter, or has another event at its position', async () => {
    const { file, list, snapshots } = await given();
    await snapshots.save(list.pack());
    const bytes = readFileSync(`${file}-snapshot`);
    const shorter = [newEvent(placed(1n)), newEvent(placed(2n))];
    for (const events of [shorter, [...shorter, newEvent(placed(3n))]]) {
      const otherFile = temporaryFile();
      const db = openDatabase(otherFile);
      await new SqliteEventLog(db).append(0, () => events);
      writeFileSync(`${otherFile}-snapshot`, bytes);
      const other = snapshotFile(`${otherFile}-snapshot`, 'this-store', rootsIn(db));
      expect(await other.load()).toStrictEqual(none('it belongs to another log'));
      db.close();
    }
  });

  it('is replaced as a whole, and the old one stays if that fails', async () => {
    const { file, log, list, snapshots } = await given();
    await snapshots.save(list.pack());
    await log.append(3, () => [newEvent(placed(4n))]);
    for (const event of await readAll(log, 3)) list.fold(event);
    mkdirSync(`${file}-snapshot-new-${process.pid}/in-the-way`, { recursive: true });
    await expect(snapshots.save(list.pack())).rejects.toThrow();
    expect(await snapshots.load()).toMatchObject({ list: { image: { position: 3 } } });
  });

  it('can be made of a list without orders', async () => {
    const file = temporaryFile();
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    const snapshots = snapshotFile(`${file}-snapshot`, 'empty', rootsIn(db));
    await snapshots.save(new OrderList((orders) => orders).pack());
    expect(await snapshots.load()).toMatchObject({ kind: 'found' });
    expect(readdirSync(dirname(file)).filter((name) => name.includes('snapshot'))).toStrictEqual([
      'store.db-snapshot',
    ]);
  });

  it('removes what writers left behind that were killed, and nothing that is being written', async () => {
    const { file, list, snapshots } = await given();
    const [left, written] = [`${file}-snapshot-new-1`, `${file}-snapshot-new-2`];
    // Of another store, and of somebody else.
    const others = [`${file}2-snapshot-new-1`, join(dirname(file), 'letters')];
    for (const name of [left, written, ...others]) writeFileSync(name, 'x');
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [left, ...others]) utimesSync(name, hoursAgo, hoursAgo);
    await snapshots.save(list.pack());
    const all = [left, written, ...others].map((name) => existsSync(name));
    expect(all).toStrictEqual([false, true, true, true]);
  });

  it('can be read by its owner alone', async () => {
    const { file, list, snapshots } = await given();
    await snapshots.save(list.pack());
    expect(statSync(`${file}-snapshot`).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing half-done behind where it cannot be put in its place', async () => {
    const { file, list, snapshots } = await given();
    mkdirSync(`${file}-snapshot`);
    await expect(snapshots.save(list.pack())).rejects.toThrow();
    const beside = readdirSync(dirname(file)).filter((name) => name.includes('-snapshot'));
    expect(beside).toStrictEqual(['store.db-snapshot']);
  });

  it('finds each order as the list has it, whichever ids were placed in whichever order', async () => {
    const { file, db } = await given();
    const snapshots = snapshotFile(`${file}-snapshot`, 'this-store', async () => Buffer.alloc(32));
    const anyId = fc.oneof(
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt(1n, 99n),
    );
    const commands = fc.array(fc.record({ id: anyId, ends: fc.boolean() }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(commands, fc.bigInt(1n, 900n), anyId, async (scattered, dense, other) => {
        const ids = [...scattered.map(({ id }) => id), ...range(1_000n, dense)];
        const placedIds = [...new Set(ids)];
        const ended = new Set(scattered.filter(({ ends }) => ends).map(({ id }) => id));
        const list = new OrderList((orders) => orders);
        const events = [
          ...placedIds.map((id) => placed(id)),
          ...[...ended].map((id) => shipped(id, LATER)),
        ];
        for (const event of recorded(...events)) list.fold(event);
        await snapshots.save(list.pack());
        // Those of the dense ids that are looked up by day are in each part of the file.
        const asked = placedIds.filter((_, index) => {
          return isNightly || index <= scattered.length || index % ASKED_BY_DAY === 0;
        });
        for (const id of [...asked, other]) {
          const status = list.get(id as OrderId)?.status;
          expect(await snapshots.find(id as OrderId)).toStrictEqual({
            position: list.position,
            positions: list.positionsOf(id as OrderId),
            ...(status !== undefined && { status }),
          });
        }
      }),
      { numRuns: isNightly ? 20 : 8 },
    );
    db.close();
  });

  it('finds nothing where it is missing, or of another store, or damaged', async () => {
    const { file, db, list, snapshots } = await given();
    const nothing = { position: 0, positions: [] };
    expect(await snapshots.find(-3n as OrderId)).toStrictEqual(nothing);
    await snapshots.save(list.pack());
    const other = snapshotFile(`${file}-snapshot`, 'another-store', rootsIn(db));
    expect(await other.find(-3n as OrderId)).toStrictEqual(nothing);
    const name = `${file}-snapshot`;
    const bytes = readFileSync(name);
    const whole = await snapshots.find(-3n as OrderId);
    expect(whole).toStrictEqual({ position: 3, positions: [2, 3], status: 'shipped' });
    for (let at = 0; at < bytes.length; at += at < 600 ? 7 : 997) {
      writeFileSync(name, bytes.with(at, (bytes[at] as number) ^ 4));
      expect(await snapshots.find(-3n as OrderId)).toStrictEqual(nothing);
      expect(existsSync(name)).toBe(false);
      writeFileSync(name, bytes.subarray(0, at));
      expect(await snapshots.find(-3n as OrderId)).toStrictEqual(nothing);
    }
  });

  it('gives the reason why it cannot be read', async () => {
    const { file, snapshots } = await given();
    mkdirSync(`${file}-snapshot`);
    expect(await snapshots.load()).toMatchObject({ reason: expect.stringMatching(/EISDIR/) });
  });
});
