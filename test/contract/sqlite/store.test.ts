import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { CommandLineStore, Store } from '../../../src/app/ports/store.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { PetId } from '../../../src/domain/order-id.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { engineOf } from '../../../src/infra/sqlite/engine.ts';
import { openSqliteForCommandLine, openSqliteStore } from '../../../src/infra/sqlite/store.ts';
import { startProgram } from '../../support/child.ts';
import { newEvent, placed, readAll } from '../../support/events.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { recordInAnyForm } from '../../support/tampering.ts';
import { watcher } from '../../support/watcher.ts';

const place: Submission = {
  command: { type: 'PlaceNewOrder', petId: 1n as PetId, quantity: 1 },
  by: 'test',
  commandId: 'c-1',
};

/** Is told what becomes of a store, and remembers what is wrong with it. */
function watcherInto(wrong: Error[]) {
  const note = (cause: Error) => void wrong.push(cause);
  return { lost: note, impaired: (_: string, cause: Error) => note(cause) };
}

/** Opens a store as a server does. What is lost is told in `lost`. */
async function serve(file: string) {
  const lost: Error[] = [];
  const store: Store = await openSqliteStore(file, watcherInto(lost));
  onTestFinished(() => store.close());
  await store.begin(Writer.startOf(new OrderList(() => null)));
  return { store, lost };
}

function commandLine(file: string): CommandLineStore {
  const store = openSqliteForCommandLine(file);
  onTestFinished(() => store.close());
  return store;
}

/** Leaves a store's file half changed, with a journal, as a process that is killed before the first `-wal`. */
function leaveHalfChanged(file: string): void {
  const changed = temporaryFile();
  if (existsSync(file)) copyFileSync(file, changed);
  const db = new Database(changed);
  // With so small a cache, pages are in the file before the transaction ends.
  db.exec(`PRAGMA cache_size = 1; BEGIN; CREATE TABLE half (x);
    INSERT INTO half SELECT randomblob(4000) FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8))`);
  for (const end of ['', '-journal']) copyFileSync(changed + end, file + end);
  db.close();
}

describe('a store that a server has opened', () => {
  it('shows its readers everything that its writer has acknowledged', async () => {
    const { store } = await serve(temporaryFile());
    for (let order = 1; order <= 20; order++) {
      expect(await store.writer.execute([place, place])).toHaveLength(2);
      expect(await store.log.head()).toBe(order * 2);
    }
    const ids = (await readAll(store.log)).map(({ event }) => event.orderId);
    expect(ids).toStrictEqual(Array.from({ length: 40 }, (_, index) => BigInt(index + 1)));
  });

  it('keeps everything for the next server', async () => {
    const file = temporaryFile();
    const first = await serve(file);
    await first.store.writer.execute([place]);
    await first.store.close();
    const second = await serve(file);
    expect(second.store.id).toBe(first.store.id);
    expect(await second.store.writer.execute([place])).toMatchObject([{ orderId: 2n }]);
    expect(first.lost).toStrictEqual([]);
  });

  it('finishes the batch under way before it closes, and takes none after it', async () => {
    const file = temporaryFile();
    const { store, lost } = await serve(file);
    const outcomes = store.writer.execute([place, place, place]);
    await store.close();
    await store.close();
    expect(await outcomes).toMatchObject([{ orderId: 1n }, { orderId: 2n }, { orderId: 3n }]);
    await expect(store.writer.execute([place])).rejects.toThrow('the writer is closed');
    expect(await commandLine(file).log.head()).toBe(3);
    expect(lost).toStrictEqual([]);
  });

  it('refuses a second server for as long as it lives', async () => {
    const file = temporaryFile();
    const { store, lost } = await serve(file);
    const second = openSqliteStore(file, watcherInto(lost));
    await expect(second).rejects.toThrow(UserError);
    await expect(second).rejects.toThrow(
      /Another server is running on .*store\.db\. Stop it first/,
    );
    expect(await store.writer.execute([place])).toMatchObject([{ kind: 'accepted' }]);
    await store.close();
    const third = await serve(file);
    expect(await third.store.log.head()).toBe(1);
    expect(lost).toStrictEqual([]);
  });

  it('refuses a second server by another name, a link to its file, and is not changed by a tool', async () => {
    const file = temporaryFile();
    const { store } = await serve(file);
    expect(await store.writer.execute([place])).toMatchObject([{ kind: 'accepted' }]);
    const link = temporaryFile();
    symlinkSync(file, link);
    const engine = engineOf(link, { databaseWaitMs: 0, scrubBytesPerSecond: 0 });
    const inUse = /Another server is running on .*store\.db\. Stop it first/;
    await expect(engine.openStore(watcher())).rejects.toThrow(inUse);
    await expect(engine.acceptLoss?.()).rejects.toThrow('there is no loss to accept');
    expect(readdirSync(dirname(link))).toStrictEqual([basename(link)]);
    expect(await store.writer.execute([place])).toMatchObject([{ kind: 'accepted' }]);
  });

  it('is free again when its server was killed, with every order that was acknowledged', async () => {
    const file = temporaryFile();
    const child = startProgram('serve-store', file);
    for (let order = 1; order <= 50; order++) expect(await child.line()).toBe(String(order));
    await expect(openSqliteStore(file, watcherInto([]))).rejects.toThrow(
      /Another server is running/,
    );
    await child.kill();
    const { store } = await serve(file);
    expect(await store.log.head()).toBeGreaterThanOrEqual(50);
    expect(await store.writer.execute([place])).toMatchObject([{ kind: 'accepted' }]);
  });

  it('reports at once that a file is not a store', async () => {
    const file = temporaryFile();
    writeFileSync(file, 'this is no database at all');
    const lost: Error[] = [];
    const opening = openSqliteStore(file, watcherInto(lost));
    await expect(opening).rejects.toThrow(UserError);
    await expect(opening).rejects.toThrow(/is not a SQLite database/);
    expect(lost).toStrictEqual([]);
  });

  it('reports its writer as lost at an unknown event', async () => {
    const file = temporaryFile();
    const { store, lost } = await serve(file);
    const db = openDatabase(file);
    const row = `(1, 1, 1, 'OrderEaten', 1, '{}', '{}')`;
    recordInAnyForm(db, () => db.exec(`INSERT INTO events VALUES ${row}`));
    db.close();
    await expect(store.writer.execute([place])).rejects.toThrow(/position 1/);
    await expect(store.writer.execute([place])).rejects.toThrow(/position 1/);
    expect(lost).toMatchObject([{ name: 'UnreadableEvent', position: 1 }]);
  });
});

describe('a command line tool', () => {
  it('works beside a server, and each sees what the other does', async () => {
    const file = temporaryFile();
    const { store } = await serve(file);
    const tool = commandLine(file);
    await store.writer.execute([place]);
    expect(await tool.log.head()).toBe(1);
    const imported = await tool.log.append(1, () => [newEvent(placed(41n))]);
    expect(imported).toMatchObject({ kind: 'appended', events: [{ position: 2 }] });
    expect(await store.writer.execute([place])).toMatchObject([{ orderId: 42n, version: 1 }]);
    expect(await readAll(store.log)).toHaveLength(3);
  });

  it('copies a live store with what is not yet in its main file', async () => {
    const file = temporaryFile();
    const { store } = await serve(file);
    await store.writer.execute([place, place, place]);
    const folder = temporaryFolder();
    const [plainCopy, backup] = [join(folder, 'copy.db'), join(folder, 'backup.db')];
    copyFileSync(file, plainCopy);
    await commandLine(file).backup(backup);
    // The events are in the WAL only: a copy of the main file misses them, and a backup must not.
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    expect(await commandLine(plainCopy).log.head()).toBe(0);
    const restored = await serve(backup);
    expect(await readAll(restored.store.log)).toStrictEqual(await readAll(store.log));
    expect(restored.store.id).toBe(store.id);
    expect(await restored.store.writer.execute([place])).toMatchObject([
      { orderId: 1_000_000_004n },
    ]);
    expect(await store.log.head()).toBe(3);
  });

  it('never copies over a file that is there', async () => {
    const tool = commandLine(temporaryFile());
    const folder = temporaryFolder();
    const there = join(folder, 'precious.db');
    writeFileSync(there, 'precious');
    await expect(tool.backup(there)).rejects.toThrow(UserError);
    await expect(tool.backup(there)).rejects.toThrow(/is there already and was left as it is/);
    // SQLite would delete it, and it may hold events that are nowhere else.
    for (const end of ['-wal', '-shm', '-journal']) {
      const free = join(folder, 'free.db');
      writeFileSync(free + end, 'of another');
      await expect(tool.backup(free)).rejects.toThrow(`${free}${end} is there already`);
      expect(readFileSync(free + end, 'utf8')).toBe('of another');
      rmSync(free + end);
    }
    const own = `${there}-refusals`;
    await expect(tool.backup(own)).rejects.toThrow(`${own} is the name of a file of the store`);
    expect(existsSync(own)).toBe(false);
    expect(readFileSync(there, 'utf8')).toBe('precious');
  });
});

describe('a change that a killed process has left half done', () => {
  const OPENED = {
    'a server': async (file: string) => (await serve(file)).store,
    'a command': async (file: string) => commandLine(file),
  };

  it.each(Object.entries(OPENED))('is undone by %s, and the store is made', async (_, open) => {
    const file = temporaryFile();
    leaveHalfChanged(file);
    expect(await (await open(file)).log.head()).toBe(0);
    expect(existsSync(`${file}-journal`)).toBe(false);
  });

  it.each(Object.entries(OPENED))('is undone by %s, and the backup continued', async (_, open) => {
    const file = temporaryFile();
    const { store } = await serve(file);
    await store.writer.execute([place, place, place]);
    const backup = join(temporaryFolder(), 'backup.db');
    await commandLine(file).backup(backup);
    leaveHalfChanged(backup);
    const restored = await open(backup);
    expect(await readAll(restored.log)).toStrictEqual(await readAll(store.log));
  });

  it('is undone before a loss is accepted, and named by a check, which changes nothing', async () => {
    const file = temporaryFile();
    await openSqliteForCommandLine(file).close();
    const db = openDatabase(file);
    db.pragma('journal_mode = DELETE');
    db.close();
    leaveHalfChanged(file);
    const before = readFileSync(file);
    const engine = engineOf(file, { databaseWaitMs: 0, scrubBytesPerSecond: 0 });
    await expect(engine.openEvidence()).rejects.toThrow(
      `${file} cannot be read: a process was killed while it changed the file, and ${file}-journal ` +
        'has to undo that first: run another command, such as store-orders keys list.',
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    await expect(engine.acceptLoss()).rejects.toThrow(/^Nothing is missing/);
    (await engine.openEvidence()).close();
  });

  it('is named in the file of refusals with a command that undoes it', async () => {
    const file = temporaryFile();
    await openSqliteForCommandLine(file).close();
    leaveHalfChanged(`${file}-refusals`);
    const engine = engineOf(file, { databaseWaitMs: 0, scrubBytesPerSecond: 0 });
    await expect(engine.openEvidence()).rejects.toThrow(
      'to undo that first: run another command, such as store-orders audit refusals.',
    );
    const store = openSqliteForCommandLine(file);
    expect(await store.refusals.newest(1)).toHaveLength(0);
    await store.close();
    (await engine.openEvidence()).close();
  });

  it('is left to the other program whose change it is', () => {
    const file = temporaryFile();
    const db = new Database(file);
    db.exec('CREATE TABLE pets (name TEXT)');
    db.close();
    leaveHalfChanged(file);
    expectLeft(file, `${file} is a database of another program. Nothing was changed.`);
  });

  it('is not undone in a backup that was put in the place of the new store', async () => {
    const [file, made] = [temporaryFile(), temporaryFile()];
    leaveHalfChanged(file);
    await openSqliteForCommandLine(made).backup(`${made}-2`);
    copyFileSync(`${made}-2`, file);
    expectLeft(
      file,
      `${file}-journal belongs to a file that was new, and would make ${file} empty. Move it away.`,
    );
  });

  function expectLeft(file: string, says: string): void {
    const bytes = () => ['', '-journal'].map((end) => readFileSync(file + end, 'hex'));
    const before = bytes();
    expect(() => openSqliteForCommandLine(file)).toThrow(new UserError(says));
    expect(bytes()).toStrictEqual(before);
  }

  it('is undone by a command that makes no store, which finds none', () => {
    const file = temporaryFile();
    leaveHalfChanged(file);
    expect(() => openSqliteForCommandLine(file, 'refuse')).toThrow(`There is no store ${file}.`);
    expect(statSync(file).size).toBe(0);
  });
});
