import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { copyStore } from '../../../src/app/lifecycle/copy-store.ts';
import { DamagedStore } from '../../../src/app/ports/store.ts';
import { replaceHeadFile } from '../../../src/infra/head/head-file.ts';
import { openSqliteCopy, openSqliteOriginal } from '../../../src/infra/sqlite/copy.ts';
import { openDatabase } from '../../../src/infra/sqlite/database.ts';
import { firstHeadOf, storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { headFileOf } from '../../../src/infra/sqlite/head-file.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { namingFile } from '../../../src/infra/sqlite/store-file.ts';
import { breaksIn } from '../../support/breaks.ts';
import { newEvent, placed } from '../../support/events.ts';
import { temporaryFile } from '../../support/folder.ts';
import { refusal } from '../refusal-trail.ts';

const ID = '0123456789abcdef';

it.each<[string, (unfinished: string) => void]>([
  ['that has no tables yet', (file) => void new Database(file).close()],
  ['that has an id of its own', (file) => openDatabase(file, () => {}).close()],
])('a copy is begun anew where one was interrupted %s', async (_, leave) => {
  const file = temporaryFile();
  leave(`${file}-copying-new`);
  const copy = openSqliteCopy(file, ID);
  await copy.close();
  expect(readdirSync(dirname(file)).filter((name) => name.includes('-new'))).toStrictEqual([]);
  const made = new Database(`${file}-copying`);
  expect(storeIdOf(made)).toBe(ID);
  made.close();
  expect(existsSync(file)).toBe(false);
});

/** Makes a store of one event and one refusal. */
async function original(): Promise<string> {
  const file = temporaryFile();
  const store = openSqliteForCommandLine(file);
  await store.log.append(0, () => [newEvent(placed(1n))]);
  await store.refusals.append([refusal(1)]);
  await store.close();
  return file;
}

/** Makes the first page of a table none that SQLite can read. */
function damageTable(file: string, table: string): void {
  const db = new Database(file, { readonly: true });
  const page = db
    .prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?')
    .pluck()
    .get(table) as number;
  const pageBytes = db.pragma('page_size', { simple: true }) as number;
  db.close();
  const bytes = readFileSync(file);
  bytes[(page - 1) * pageBytes] = 0xff;
  writeFileSync(file, bytes);
}

/** Copies a store. `finish` is called instead of the last step, if it is given. */
async function copy(file: string, to: string, finish?: () => Promise<void>): Promise<void> {
  const from = openSqliteOriginal(file);
  const copied = openSqliteCopy(to, from.id);
  try {
    await copyStore(from, finish === undefined ? copied : { ...copied, finish }, () => {});
  } finally {
    await copied.close();
    await from.close();
  }
}

const interrupt = async () => Promise.reject(new Error('interrupted'));

it.each<[string, (file: string) => void]>([
  [
    'behind its head file',
    (file) => {
      const db = new Database(`${file}-copying`);
      replaceHeadFile(headFileOf(file), firstHeadOf(db));
      db.close();
    },
  ],
  [
    'behind the name of its refusals',
    (file) => renameSync(`${file}-copying-refusals`, `${file}-refusals`),
  ],
])('a copy that was interrupted %s is completed in the same epoch', async (_, leave) => {
  const [from, to] = [await original(), temporaryFile()];
  await expect(copy(from, to, interrupt)).rejects.toThrow('interrupted');
  leave(to);
  await copy(from, to);
  expect([breaksIn(from), breaksIn(to)]).toEqual([[], []]);
  const store = openSqliteForCommandLine(to);
  expect(await store.refusals.newest(9)).toHaveLength(1);
  await store.close();
  const ends = readdirSync(dirname(to)).map((name) => name.slice(basename(to).length));
  expect(ends.filter((end) => end.includes('copying'))).toEqual([]);
});

it.each<[string, string, string]>([
  ['the outcomes kept in it', '', 'kept_outcomes'],
  ['its keys', '', 'api_keys'],
  ['its refusals', '-refusals', 'refusals'],
])(
  'a move is refused with the name of the original if %s cannot be read',
  async (_, end, table) => {
    const [file, to] = [await original(), temporaryFile()];
    damageTable(`${file}${end}`, table);
    const error: unknown = await copy(file, to).catch((thrown: unknown) => thrown);
    // The command names the copy in the errors that name no file.
    expect(namingFile(error, to)).toBe(error);
    expect(error).toBeInstanceOf(DamagedStore);
    expect((error as Error).message).toBe(`${file}${end}: database disk image is malformed`);
  },
);

it('a copy whose end was not reported is known by the store that was handed over', async () => {
  const [file, to] = [await original(), temporaryFile()];
  await expect(copy(file, to, interrupt)).rejects.toThrow('interrupted');
  const id = readFileSync(`${to}-copying-id`);
  await copy(file, to);
  expect(() => openSqliteCopy(to, ID)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/already/), copyId: undefined }),
  );
  // As a process leaves it that ends behind the last rename.
  writeFileSync(`${to}-copying-id`, id);
  const from = openSqliteOriginal(file);
  expect(() => openSqliteCopy(to, from.id)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/already/), copyId: String(id) }),
  );
  expect([await from.wasHandedTo(String(id)), await from.wasHandedTo('a')]).toEqual([true, false]);
  await from.close();
});

it('a copy that is begun anew where another was interrupted begins an epoch', async () => {
  const [from, to] = [await original(), temporaryFile()];
  await expect(copy(from, to, interrupt)).rejects.toThrow('interrupted');
  rmSync(`${to}-copying`);
  await copy(from, to);
  expect(breaksIn(to)).toMatchObject([{ reason: 'copy_continued', position: 1 }]);
  expect(breaksIn(from)).toEqual(breaksIn(to));
});

it('a copy that an older version has begun begins an epoch', async () => {
  const [from, to] = [await original(), temporaryFile()];
  await expect(copy(from, to, interrupt)).rejects.toThrow('interrupted');
  rmSync(`${to}-copying-id`);
  await copy(from, to);
  expect(breaksIn(to)).toMatchObject([{ reason: 'copy_continued', position: 1 }]);
});
