import { appendFileSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasCommitBehind, readHeader } from '../../../src/infra/sqlite/wal/guard.ts';
import { Wal } from '../../../src/infra/sqlite/wal/wal.ts';
import { memoryFolder } from '../../support/folder.ts';
import { seedFrom } from '../../support/nightly.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** A database with one row for each commit. */
class Commits {
  readonly file: string;
  readonly wal: string;
  readonly db: Database.Database;

  constructor(pageSize: number, folder = memoryFolder()) {
    this.file = join(folder, 'some.db');
    this.wal = `${this.file}-wal`;
    this.db = new Database(this.file);
    this.db.pragma(`page_size = ${pageSize}`);
    this.db.pragma('journal_mode = WAL');
    this.db.pragma('wal_autocheckpoint = 0');
    this.db.exec('CREATE TABLE commits (bytes BLOB)');
    this.checkpoint();
  }

  /** @param pages About so many pages are written. */
  commit(pages: number): void {
    const bytes = pages * (this.db.pragma('page_size', { simple: true }) as number);
    this.db.prepare('INSERT INTO commits VALUES (zeroblob(?))').run(bytes);
  }

  /** Copies the whole `-wal` file into the database: the next commit begins it again. */
  checkpoint(): void {
    expect(this.db.pragma('wal_checkpoint(PASSIVE)')).toMatchObject([{ busy: 0 }]);
  }

  /** Leaves an index for a file that is begun again, whose header could not be written. */
  beginFileAgainInVain(): void {
    const before = readFileSync(this.wal);
    // The transaction does not fit into the cache, so that it is written before it ends.
    this.db.pragma('cache_size = 1');
    this.db.exec('BEGIN IMMEDIATE');
    this.commit(100);
    this.db.exec('ROLLBACK');
    writeFileSync(this.wal, before);
    expect(this.frames()).toBe(0);
  }

  /** The valid frames that the file has now. */
  frames(): number {
    const [row] = this.db.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }];
    return Math.max(row.log, 0);
  }

  /** Returns the number of commits that a start finds, if this is the `-wal` file. */
  foundWith(wal: Buffer): number {
    const copy = join(memoryFolder(), 'copy.db');
    copyFileSync(this.file, copy);
    writeFileSync(`${copy}-wal`, wal);
    const db = new Database(copy);
    try {
      return db.prepare('SELECT count(*) FROM commits').pluck().get() as number;
    } finally {
      db.close();
    }
  }
}

function sum(bytes: Buffer, previous: readonly [number, number], isLittle: boolean) {
  let [one, two] = previous;
  for (let at = 0; at < bytes.length; at += 8) {
    const word = (from: number) => (isLittle ? bytes.readUInt32LE(from) : bytes.readUInt32BE(from));
    one = (one + word(at) + two) >>> 0;
    two = (two + word(at + 4) + one) >>> 0;
  }
  return [one, two] as [number, number];
}

/** The same file as a machine of the other byte order writes it. */
function inOtherByteOrder(wal: Buffer, pageSize: number): Buffer {
  const copy = Buffer.from(wal);
  copy.writeUInt32BE(copy.readUInt32BE(0) ^ 1, 0);
  const isLittle = (copy.readUInt32BE(0) & 1) === 0;
  const write = (sums: [number, number], at: number) => {
    copy.writeUInt32BE(sums[0], at);
    copy.writeUInt32BE(sums[1], at + 4);
    return sums;
  };
  let sums = write(sum(copy.subarray(0, 24), [0, 0], isLittle), 24);
  const salts = copy.subarray(16, 24);
  const step = FRAME_HEADER_BYTES + pageSize;
  for (let at = HEADER_BYTES; at + step <= copy.length; at += step) {
    if (!copy.subarray(at + 8, at + 16).equals(salts)) break;
    sums = sum(copy.subarray(at, at + 8), sums, isLittle);
    sums = sum(copy.subarray(at + FRAME_HEADER_BYTES, at + step), sums, isLittle);
    write(sums, at + 16);
  }
  return copy;
}

const pages = fc.integer({ min: 0, max: 3 });
const lives = fc.record({
  pageSize: fc.constantFrom(512, 1_024, 4_096, 65_536),
  earlier: fc.array(pages, { maxLength: 4 }),
  later: fc.array(pages, { minLength: 1, maxLength: 4 }),
  isOtherOrder: fc.boolean(),
  /** How many of the later commits the index of the file knows. */
  known: fc.nat(),
  damage: fc.option(fc.record({ cut: fc.boolean(), at: fc.nat(), bit: fc.nat(7) })),
});

describe('A commit behind the known frames of a -wal file', () => {
  it('is found exactly if SQLite would apply it at a start, whatever has become of it', () => {
    const seen = { behind: 0, nothing: 0 };
    fc.assert(
      fc.property(lives, ({ pageSize, earlier, later, isOtherOrder, known, damage }) => {
        const commits = new Commits(pageSize);
        // The frames of these are left behind those that come after the checkpoint.
        for (const size of earlier) commits.commit(size);
        commits.checkpoint();
        const framesAfter = later.map((size) => {
          commits.commit(size);
          return commits.frames();
        });
        const count = known % (later.length + 1);
        const frames = count === 0 ? 0 : (framesAfter[count - 1] as number);
        const whole = readFileSync(commits.wal);
        const wal = isOtherOrder ? inOtherByteOrder(whole, pageSize) : whole;
        const begin = HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageSize);
        let left = wal;
        if (damage !== null && wal.length > begin) {
          const at = begin + (damage.at % (wal.length - begin));
          if (damage.cut) left = wal.subarray(0, at);
          else wal[at] = (wal[at] as number) ^ (1 << damage.bit);
        }
        const found = commits.foundWith(left);
        writeFileSync(commits.wal, left);
        const isBehind = hasCommitBehind(commits.wal, frames, undefined);
        expect(isBehind).toBe(found > earlier.length + count);
        seen[isBehind ? 'behind' : 'nothing'] += 1;
        commits.db.close();
      }),
      { numRuns: 200, seed: seedFrom('COMMIT_BEHIND_SEED') },
    );
    expect(Math.min(seen.behind, seen.nothing)).toBeGreaterThan(30);
  });

  it('is none if all of the file was in the store, and it was not begun again since', () => {
    const commits = new Commits(4_096);
    commits.commit(2);
    commits.checkpoint();
    const done = readHeader(commits.wal);
    expect(hasCommitBehind(commits.wal, 0, undefined)).toBe(true);
    expect(hasCommitBehind(commits.wal, 0, done)).toBe(false);
    commits.commit(1);
    expect(hasCommitBehind(commits.wal, 0, done)).toBe(true);
    expect(hasCommitBehind(commits.wal, commits.frames(), done)).toBe(false);
    commits.db.close();
  });

  it('may come after all of the file was in the store, where a reader keeps it from its beginning', () => {
    const commits = new Commits(4_096);
    commits.commit(2);
    const reader = new Database(commits.file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM commits').get();
    commits.checkpoint();
    const [done, frames] = [readHeader(commits.wal), commits.frames()];
    commits.commit(1);
    expect(readHeader(commits.wal)).toStrictEqual(done);
    expect(hasCommitBehind(commits.wal, frames, done)).toBe(true);
    reader.close();
    commits.db.close();
  });

  it('is none in a file whose header names no size of a page, as SQLite takes it', () => {
    const commits = new Commits(512);
    commits.commit(2);
    const wal = readFileSync(commits.wal);
    const isLittle = (wal.readUInt32BE(0) & 1) === 0;
    for (const size of [3, 256, 1_000, 131_072]) {
      wal.writeUInt32BE(size, 8);
      const [one, two] = sum(wal.subarray(0, 24), [0, 0], isLittle);
      wal.writeUInt32BE(one, 24);
      wal.writeUInt32BE(two, 28);
      const found = commits.foundWith(wal);
      writeFileSync(commits.wal, wal);
      expect([found, hasCommitBehind(commits.wal, 0, undefined)]).toEqual([0, false]);
    }
    commits.db.close();
  });

  it('is none in a file without a header, and in none', () => {
    const file = join(memoryFolder(), 'some-wal');
    expect(hasCommitBehind(file, 0, undefined)).toBe(false);
    writeFileSync(file, '');
    expect(hasCommitBehind(file, 0, undefined)).toBe(false);
    expect(readHeader(file)).toBeUndefined();
    writeFileSync(file, Buffer.alloc(HEADER_BYTES));
    expect(hasCommitBehind(file, 0, undefined)).toBe(false);
    expect(statSync(file).size).toBe(HEADER_BYTES);
  });
});

/**
 * A store with a commit, and with another one whose frames are all in the `-wal` file but not in its index, as
 * after a commit that failed when the index could not grow.
 * @param lacking The frames at the end that are missing, as on a full disk.
 */
function withFailedCommit({ folder = memoryFolder(), lacking = 0 } = {}) {
  const commits = new Commits(4_096, folder);
  onTestFinished(() => void commits.db.close());
  const twin = join(memoryFolder(), 'twin.db');
  commits.commit(1);
  for (const end of ['', '-wal']) copyFileSync(`${commits.file}${end}`, `${twin}${end}`);
  const other = new Database(twin);
  // Its first commit continues the same file: the salts remain.
  other.prepare('INSERT INTO commits VALUES (zeroblob(8192))').run();
  const known = statSync(commits.wal).size;
  const behind = readFileSync(`${twin}-wal`).subarray(known);
  appendFileSync(commits.wal, behind.subarray(0, behind.length - lacking * 4_120));
  other.close();
  const wal = new Wal(commits.file);
  onTestFinished(() => wal.close());
  const foundByStart = () => commits.foundWith(readFileSync(commits.wal));
  return { commits, wal, known, foundByStart };
}

describe('A transaction whose commit failed', () => {
  it('is buried: no start finds it, and what was committed before it is as it was', () => {
    const { commits, wal, known, foundByStart } = withFailedCommit();
    expect(foundByStart()).toBe(2);
    const before = readFileSync(commits.wal).subarray(0, known);
    wal.bury();
    expect(readFileSync(commits.wal)).toStrictEqual(before);
    expect(wal.bytesOf(wal.state().frames)).toBe(known);
    expect(foundByStart()).toBe(1);
    wal.bury();
    expect(readFileSync(commits.wal)).toStrictEqual(before);
    commits.commit(1);
    expect(foundByStart()).toBe(2);
  });

  it.skipIf(!canMount)('is reported where it can be read only, and a start would find it', () => {
    const disk = new SmallDisk(2_048);
    const { wal, foundByStart } = withFailedCommit(disk);
    disk.coverReadOnly();
    expect(() => wal.bury()).toThrow('EROFS');
    expect(foundByStart()).toBe(2);
  });

  it.skipIf(!canMount)('may stay where it can be read only, and no start would find it', () => {
    const disk = new SmallDisk(2_048);
    const { wal, known, commits, foundByStart } = withFailedCommit({ ...disk, lacking: 1 });
    disk.coverReadOnly();
    wal.bury();
    expect(readFileSync(commits.wal).length).toBeGreaterThan(known);
    expect(foundByStart()).toBe(1);
  });

  it.skipIf(!canMount)('is none of those that are in the store already', () => {
    const disk = new SmallDisk(4_096);
    const { commits, wal, foundByStart } = withFailedCommit({ ...disk, lacking: 1 });
    commits.commit(1);
    wal.checkpoint();
    commits.beginFileAgainInVain();
    disk.coverReadOnly();
    expect(hasCommitBehind(commits.wal, 0, undefined)).toBe(true);
    wal.bury();
    expect(foundByStart()).toBe(2);
  });

  it.skipIf(!canMount)('may be any if another process has put them into the store', () => {
    const disk = new SmallDisk(4_096);
    const { commits, wal } = withFailedCommit({ ...disk, lacking: 1 });
    commits.checkpoint();
    commits.beginFileAgainInVain();
    disk.coverReadOnly();
    expect(() => wal.bury()).toThrow('EROFS');
  });
});
