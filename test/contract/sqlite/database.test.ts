import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { isOlder, openDatabase } from '../../../src/infra/sqlite/database.ts';
import { engineOf } from '../../../src/infra/sqlite/engine.ts';
import { storeIdOf } from '../../../src/infra/sqlite/epochs-table.ts';
import { startProgram } from '../../support/child.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/nightly.ts';

/** Everything in a folder: its names, and a digest of what is in each file. */
function contents(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).map((entry) => {
    if (!entry.isFile()) return `${entry.name}/`;
    const bytes = readFileSync(join(folder, entry.name));
    return `${entry.name} ${createHash('sha256').update(bytes).digest('hex')}`;
  });
}

/** Makes a database by SQL, as another program would. */
function madeBy(sql: string) {
  return (file: string) => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
    return file;
  };
}

describe('opening a store', () => {
  it('creates the file, and the folders on the way to it', () => {
    const file = join(temporaryFolder(), 'a', 'b', 'store.db');
    const db = openDatabase(file);
    expect(storeIdOf(db)).toMatch(/^[0-9a-f]{16}$/);
    db.close();
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  });

  it('gives every store an id of its own, which stays', () => {
    const ids = [temporaryFile(), temporaryFile()].map((file) => {
      return [1, 2].map(() => {
        const db = openDatabase(file);
        const id = storeIdOf(db);
        db.close();
        return id;
      });
    });
    expect(ids[0]?.[0]).toBe(ids[0]?.[1]);
    expect(ids[0]?.[0]).not.toBe(ids[1]?.[0]);
  });

  it('is durable each time: a WAL, and a flush to disk for every commit', () => {
    const file = temporaryFile();
    for (let open = 0; open < 3; open++) {
      const db = openDatabase(file);
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
      expect(db.pragma('synchronous', { simple: true })).toBe(2);
      db.close();
    }
  });

  it('makes a store of an empty file', () => {
    const file = temporaryFile();
    writeFileSync(file, '');
    const db = openDatabase(file);
    expect(storeIdOf(db)).toMatch(/^[0-9a-f]{16}$/);
    db.close();
  });

  it('refuses memory, which is not durable', () => {
    expect(() => openDatabase(':memory:')).toThrow(/^SQLite refuses durability: memory/);
  });

  it.each<[string, (file: string) => string, RegExp]>([
    [
      'a store that a newer version has opened',
      (file) => {
        const db = openDatabase(file);
        db.pragma('user_version = 99');
        db.close();
        return file;
      },
      /has schema 99, and this version knows up to \d+: start a newer version/,
    ],
    ['tables of another program', madeBy('CREATE TABLE theirs (x)'), /of another program/],
    [
      'tables of another program, in WAL mode',
      madeBy('PRAGMA journal_mode = WAL; CREATE TABLE theirs (x)'),
      /of another program/,
    ],
    [
      'an empty database of another program',
      madeBy('PRAGMA application_id = 42'),
      /of another program/,
    ],
    [
      'an empty database that another program counts versions in',
      madeBy('PRAGMA user_version = 1'),
      /of another program/,
    ],
    [
      'tables under another application id',
      madeBy('PRAGMA application_id = 42; CREATE TABLE events (position)'),
      /of another program/,
    ],
    ...[2, 99, 512, 100_000].map((size): [string, (file: string) => string, RegExp] => [
      `${size} bytes that are no database`,
      (file) => {
        writeFileSync(file, 'x'.repeat(size));
        return file;
      },
      /is not a SQLite database/,
    ]),
    [
      'a folder',
      (file) => {
        mkdirSync(file);
        return file;
      },
      /cannot be opened: it is a folder/,
    ],
    [
      'a named pipe',
      (file) => {
        execFileSync('mkfifo', [file]);
        return file;
      },
      /cannot be opened: it is no regular file/,
    ],
    [
      'a file in what is a file itself',
      (file) => {
        writeFileSync(file, 'not a folder');
        return join(file, 'store.db');
      },
      /cannot be opened: E/,
    ],
  ])('refuses %s, and leaves it byte for byte as it was', (_, make, reason) => {
    const folder = temporaryFolder();
    const file = make(join(folder, 'store.db'));
    const before = contents(folder);
    expect(() => openDatabase(file)).toThrow(UserError);
    expect(() => openDatabase(file)).toThrow(reason);
    expect(contents(folder)).toStrictEqual(before);
  });

  it('works for everybody when several processes create the same file at once', async () => {
    const folder = temporaryFolder();
    const [stores, processes, pause] = [runs(500), 3, 20];
    const start = Date.now() + 1_000;
    const children = Array.from({ length: processes }, () => {
      return startProgram('create-stores', folder, `${stores}`, `${start}`, `${pause}`);
    });
    for (let store = 0; store < stores; store++) {
      const ids = await Promise.all(children.map((child) => child.line()));
      expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
      expect(ids).toStrictEqual(ids.map(() => ids[0]));
    }
  });
});

describe('the files beside a store', () => {
  const kinds = {
    'a folder': (file: string) => mkdirSync(file),
    'no regular file': (file: string) => execFileSync('mkfifo', [file]),
  };
  it.each(
    ['-wal', '-shm', '-journal', '-refusals', '-head', '-snapshot'].flatMap((suffix) =>
      Object.entries(kinds).map(([what, make]) => ({ suffix, what, make })),
    ),
  )('are opened only as files: $suffix is $what', ({ suffix, what, make }) => {
    const file = temporaryFile();
    openDatabase(file).close();
    make(`${file}${suffix}`);
    expect(() => openDatabase(file)).toThrow(
      new UserError(`${file}${suffix} cannot be opened: it is ${what}. Move it away.`),
    );
  });
});

describe('the file of a store', () => {
  const SETTINGS = { databaseWaitMs: 0, scrubBytesPerSecond: 0 };
  const place = (folder: string) => join(realpathSync(folder), 'disk', 'store.db');

  it.each<[string, (folder: string) => void]>([
    ['a link', (folder) => symlinkSync(place(folder), join(folder, 'link.db'))],
    ['a relative link', (folder) => symlinkSync('disk/store.db', join(folder, 'link.db'))],
    [
      'a link to a link beside it, through a linked folder',
      (folder) => {
        symlinkSync('disk', join(folder, 'other'));
        symlinkSync('other/second.db', join(folder, 'link.db'));
        symlinkSync('store.db', join(folder, 'disk', 'second.db'));
      },
    ],
  ])('is found behind %s, and is not made there', (_, link) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'disk'));
    link(folder);
    const found = () => engineOf(join(folder, 'link.db'), SETTINGS).file;
    expect(found).toThrow(/link\.db is a link to .*, which is not there\. Check DATABASE_URL\./);
    writeFileSync(place(folder), '');
    expect(found()).toBe(place(folder));
  });

  it('is named as it was given without a link', () => {
    for (const name of ['store.db', './a/../store.db', join(temporaryFolder(), 'none', 'store.db')])
      expect(engineOf(name, SETTINGS).file).toBe(name);
  });

  it('is not looked for behind a file, which is named', () => {
    const name = join(temporaryFile(), 'store.db');
    writeFileSync(dirname(name), '');
    const { file } = engineOf(name, SETTINGS);
    expect(file).toBe(name);
    expect(() => openDatabase(name)).toThrow(`${name} cannot be opened: ENOTDIR`);
  });

  it('is not looked for without an end', () => {
    const folder = temporaryFolder();
    symlinkSync('b.db', join(folder, 'a.db'));
    symlinkSync('a.db', join(folder, 'b.db'));
    const found = () => engineOf(join(folder, 'a.db'), SETTINGS);
    expect(found).toThrow(UserError);
    expect(found).toThrow(/a\.db cannot be opened: ELOOP/);
  });
});

describe('the oldest SQLite that can be trusted', () => {
  it.each([
    ['3.51.3', false],
    ['3.51.2', true],
    ['3.51.10', false],
    ['3.52.0', false],
    ['3.50.9', true],
    ['4.0.0', false],
    ['2.99.99', true],
    ['3.51', true],
    ['3.51.3.1', false],
  ])('%s is older: %s', (version, older) => {
    expect(isOlder(version)).toBe(older);
  });
});
