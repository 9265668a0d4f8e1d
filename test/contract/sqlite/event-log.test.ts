import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UnreadableEvent } from '../../../src/app/ports/event-log.ts';
import { HeadFile } from '../../../src/infra/head/head-file.ts';
import { AppendSignal } from '../../../src/infra/sqlite/append-signal.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { openLog, SqliteEventLog } from '../../../src/infra/sqlite/event-log.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { startProgram } from '../../support/child.ts';
import { newEvent, placed, readAll, shipped } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { MEANINGS, storedEvents } from '../../support/golden-events.ts';
import { recordInAnyForm } from '../../support/tampering.ts';
import { eventLogContract } from '../event-log.ts';

eventLogContract('SQLite', async () => {
  const file = temporaryFile();
  return async () => openLog(file, openDatabase(file));
});

eventLogContract('SQLite, whose head is asked for all the time,', async () => {
  const file = temporaryFile();
  const { memory } = new AppendSignal();
  return async () => openLog(file, openDatabase(file), { signal: new AppendSignal(memory) });
});

describe('a reader that has a signal', () => {
  async function writersAndReader() {
    const file = temporaryFile();
    const signal = new AppendSignal();
    const writer = openLog(file, openDatabase(file), { signal });
    const silent = new SqliteEventLog(openDatabase(file));
    const db = openDatabase(file);
    const reader = new SqliteEventLog(db, { signal: new AppendSignal(signal.memory) });
    onTestFinished(async () => {
      for (const log of [writer, silent, reader]) await log.close();
    });
    return { writer, silent, reader, db };
  }

  it('tells the head of each append as soon as it is recorded', async () => {
    const { writer, reader } = await writersAndReader();
    expect(await reader.head()).toBe(0);
    for (let head = 1; head <= 10; head++) {
      await writer.append(0, (newer) => [newEvent(placed(BigInt(newer.length)))]);
      expect(await reader.head()).toBe(head);
      expect(await reader.head()).toBe(head);
    }
  });

  it('comes upon an append without a signal as it watches', async () => {
    const { writer, silent, reader } = await writersAndReader();
    const heard = Promise.withResolvers<void>();
    onTestFinished(reader.watch(heard.resolve));
    expect(await reader.head()).toBe(0);
    await silent.append(0, () => [newEvent(placed(1n))]);
    // SQLite was not asked: that is what the signal is for.
    expect(await reader.head()).toBe(0);
    await heard.promise;
    expect(await reader.head()).toBe(1);
    await writer.append(1, () => [newEvent(placed(2n))]);
    expect(await reader.head()).toBe(2);
  });

  it('reads the head again after it could not be read', async () => {
    const { writer, reader, db } = await writersAndReader();
    expect(await reader.head()).toBe(0);
    await writer.append(0, () => [newEvent(placed(1n))]);
    db.exec('ALTER TABLE tree RENAME TO away');
    await expect(reader.head()).rejects.toThrow();
    db.exec('ALTER TABLE away RENAME TO tree');
    expect(await reader.head()).toBe(1);
  });
});

/** A log with one event in it, and the connection that it works on. */
async function logOnFile(file = temporaryFile()) {
  const db = openDatabase(file);
  onTestFinished(() => {
    db.close();
  });
  const beginAppending = () => new HeadFile(headFileOf(file), storeIdOf(db));
  const log = new SqliteEventLog(db, { beginAppending });
  await log.append(0, () => [newEvent(placed(1n))]);
  return { file, db, log };
}

describe('when SQLite cannot write', () => {
  it('a full disk leaves nothing behind, and the log continues when there is space', async () => {
    const { db, log } = await logOnFile();
    const pages = db.pragma('page_count', { simple: true });
    db.pragma(`max_page_count = ${pages}`);
    const many = Array.from({ length: 500 }, (_, id) => newEvent(placed(BigInt(id))));
    expect(await log.append(1, () => many)).toMatchObject({
      kind: 'unavailable',
      cause: { code: 'SQLITE_FULL' },
    });
    expect(await log.head()).toBe(1);
    db.pragma('max_page_count = 1073741823');
    expect(await log.append(1, () => many)).toMatchObject({ kind: 'appended' });
    expect(await log.head()).toBe(501);
  });

  it("another process's write lock is waited for, and then reported as unavailable", async () => {
    const { file, db, log } = await logOnFile();
    db.pragma('busy_timeout = 1');
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    let asked = 0;
    const append = () => {
      return log.append(1, () => {
        asked += 1;
        return [newEvent(shipped(1n), 2)];
      });
    };
    expect(await append()).toMatchObject({ kind: 'unavailable', cause: { code: 'SQLITE_BUSY' } });
    expect([asked, await log.head()]).toStrictEqual([0, 1]);
    other.close();
    expect(await append()).toMatchObject({ kind: 'appended' });
  });

  it('a commit that fails leaves the outcome unknown until the log is opened again', async () => {
    const { file, db, log } = await logOnFile();
    // A constraint that SQLite checks only when it commits makes a real COMMIT fail.
    db.exec(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
      CREATE TABLE children (parent REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)`);
    db.pragma('foreign_keys = ON');
    const result = await log.append(1, () => {
      db.exec('INSERT INTO children VALUES (1)');
      return [newEvent(shipped(1n), 2)];
    });
    expect(result).toMatchObject({
      kind: 'unknown',
      cause: { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' },
    });
    await log.close();
    const { log: again } = await logOnFile(file);
    expect(await again.head()).toBe(2);
  });
});

describe('what SQLite holds', () => {
  it('is read with every older version of an event lifted to the newest', async () => {
    const { db, log } = await logOnFile();
    const insert = db.prepare('INSERT INTO events VALUES (?, 1, 1, ?, ?, ?, ?)');
    const meanings: object[] = [];
    for (const [file, events] of Object.entries(MEANINGS)) {
      for (const [index, { type, schemaVersion, data, metadata }] of storedEvents(file).entries()) {
        const position = meanings.length + 2;
        recordInAnyForm(db, () => insert.run(position, type, schemaVersion, data, metadata));
        meanings.push({ position: meanings.length + 2, version: 1, ...events[index] });
      }
    }
    expect(await readAll(log, 1)).toStrictEqual(meanings);
    const stored = db.prepare('SELECT data FROM events WHERE position = 2').pluck().get();
    expect(stored).toBe(storedEvents('OrderPlaced.v1.ndjson')[0]?.data);
  });

  it('stops a reader and a writer at an event that this version does not know', async () => {
    const { db, log } = await logOnFile();
    const row = `(2, 1, 2, 'OrderEaten', 1, '{"orderId":"1"}', '{}')`;
    recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${row}`));
    await expect(readAll(log)).rejects.toThrow(UnreadableEvent);
    await expect(readAll(log)).rejects.toMatchObject({ position: 2 });
    await expect(log.append(1, () => [newEvent(placed(2n))])).rejects.toMatchObject({
      position: 2,
    });
    expect(await log.head()).toBe(2);
  });

  it('stops a reader at a missing event', async () => {
    const { db, log } = await logOnFile();
    await log.append(1, () => [newEvent(placed(2n)), newEvent(placed(3n))]);
    // Only somebody who takes the guard away first can do this.
    db.exec('DROP TRIGGER events_are_never_deleted; DELETE FROM events WHERE position = 2');
    await expect(readAll(log)).rejects.toThrow('event at position 2 cannot be read: it is missing');
  });

  it('names the order and the version of each event in columns of their own', async () => {
    const { db, log } = await logOnFile();
    await log.append(1, () => [newEvent(shipped(-(2n ** 63n)), 2)]);
    const row = db
      .prepare('SELECT order_id, version, type, schema_version FROM events WHERE position = 2')
      .safeIntegers()
      .raw()
      .get();
    expect(row).toStrictEqual([-(2n ** 63n), 2n, 'OrderShipped', 1n]);
  });
});

describe('several processes on one file', () => {
  it('append concurrently: every event is recorded once, at the returned position', async () => {
    const { file, log } = await logOnFile();
    const [each, orders] = [60, [2n, 3n, 4n]];
    const children = orders.map((order) => {
      return startProgram('append-orders', file, `${order}`, `${each}`);
    });
    const told = await Promise.all(
      children.map(async (child) => {
        const lines: string[] = [];
        for (let line = await child.line(); line !== undefined; line = await child.line()) {
          lines.push(line);
        }
        return lines.map(Number);
      }),
    );
    const events = await readAll(log, 1);
    expect(events).toHaveLength(orders.length * each);
    for (const [index, order] of orders.entries()) {
      const own = events.filter(({ event }) => event.orderId === order);
      expect(own.map(({ position }) => position)).toStrictEqual(told[index]);
    }
  });
});

describe('a watcher', () => {
  it('is left in peace when the connection is closed before it stops', async () => {
    const file = temporaryFile();
    const closed = new SqliteEventLog(openDatabase(file));
    const { log } = await logOnFile(file);
    const calls: string[] = [];
    const stop = closed.watch(() => calls.push('closed'));
    await closed.close();
    const heard = Promise.withResolvers<void>();
    // It looks as often as the closed one, and started later: the other had its turn before.
    const stopMine = log.watch(heard.resolve);
    await log.append(1, () => [newEvent(shipped(1n), 2)]);
    await heard.promise;
    stopMine();
    stop();
    expect(calls).toStrictEqual([]);
  });
});
