import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import { openSqliteForCommandLine } from '../../../src/infra/sqlite/store.ts';
import { damageIn } from '../../../src/infra/sqlite/wal/guard.ts';
import { startProgram } from '../../support/child.ts';
import { memoryFolder } from '../../support/folder.ts';
import { isNightly } from '../../support/nightly.ts';
import type { Files } from '../../support/power-cut/disk.ts';
import { place } from '../../support/power-cut/life.ts';
import { Random } from '../../support/random.ts';

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** The number of bits that are flipped: some in every run of the tests, more on request. */
const FLIPS = Number(process.env.FLIPPED_BITS ?? (isNightly ? 300 : 60));
const SEED = Number(process.env.FLIPPED_BITS_SEED ?? 1);

/** The files of a store that has appended such batches and was killed. */
async function killed(...batches: readonly number[]): Promise<Files> {
  const file = join(memoryFolder(), 'store.db');
  const child = startProgram('append-batches', file, 'kill', '1000', ...batches.map(String));
  while ((await child.line()) !== undefined);
  return new Map(['', '-wal', '-head'].map((name) => [name, readFileSync(`${file}${name}`)]));
}

/** The same files with another `-wal`, or without what is undefined. */
function changed(files: Files, changes: Readonly<Record<string, Buffer | undefined>>): Files {
  const all = Object.entries({ ...Object.fromEntries(files), ...changes });
  return new Map(all.filter((entry): entry is [string, Buffer] => entry[1] !== undefined));
}

function flipped(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

/** Returns the end of the log as SQLite by itself finds it. */
function readBySqlite(file: string): number {
  try {
    const db = new Database(file);
    try {
      return db.prepare('SELECT coalesce(max(position), 0) FROM events').pluck().get() as number;
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

/** Returns the end of the log as a start finds it; `refused` if it does not start. */
async function startOn(file: string): Promise<number | 'refused'> {
  try {
    const store = openSqliteForCommandLine(file);
    const head = await store.log.head();
    await store.close();
    return head;
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return 'refused';
  }
}

describe('a flipped bit in committed frames', () => {
  it('never loses an acknowledged event without a word', async () => {
    const random = new Random(SEED);
    const kinds = [[1, 1, 1, 1, 1, 1], [1, 60, 2, 1, 150, 3], [400], [10, 200]];
    const counted = { flips: 0, lostBySqlite: 0, refused: 0, seenInWal: 0, silent: 0 };
    for (const batches of kinds) {
      const files = await killed(...batches);
      const wal = files.get('-wal') as Buffer;
      const acknowledged = batches.reduce((sum, size) => sum + size, 0);
      const file = join(memoryFolder(), 'state', 'store.db');
      for (let flip = 0; flip < FLIPS / kinds.length; flip++) {
        // Every other one in a header: the file's own, or a frame's.
        const frame =
          HEADER_BYTES + random.below((wal.length - HEADER_BYTES) / FRAME_BYTES) * FRAME_BYTES;
        const inHeader = random.oneOf([random.below(HEADER_BYTES), frame + random.below(24)]);
        const byte = flip % 2 === 0 ? random.below(wal.length) : inHeader;
        const state = changed(files, { '-wal': flipped(wal, byte * 8 + random.below(8)) });
        place(file, state);
        const lost = readBySqlite(file) < acknowledged;
        place(file, state);
        if (damageIn(`${file}-wal`) !== undefined) counted.seenInWal += 1;
        const head = await startOn(file);
        counted.flips += 1;
        if (lost) counted.lostBySqlite += 1;
        if (head === 'refused') counted.refused += 1;
        else if (head < acknowledged) counted.silent += 1;
      }
    }
    console.log(JSON.stringify(counted));
    expect(counted.silent).toBe(0);
    // SQLite by itself says nothing: so these flips tell a guard from none.
    expect(counted.lostBySqlite).toBeGreaterThan(FLIPS * 0.9);
  }, 3_600_000);
});

describe('a -wal file that was cut off, or removed', () => {
  it('never loses an acknowledged event without a word', async () => {
    const batches = [1, 60, 2, 1];
    const files = await killed(...batches);
    const wal = files.get('-wal') as Buffer;
    const acknowledged = batches.reduce((sum, size) => sum + size, 0);
    const file = join(memoryFolder(), 'state', 'store.db');
    const lengths = Array.from({ length: 25 }, (_, n) => wal.length - 1 - n * 3_333);
    const cutOff = lengths.filter((length) => length > 0).map((length) => wal.subarray(0, length));
    for (const rest of [undefined, Buffer.alloc(0), ...cutOff]) {
      const state = changed(files, { '-wal': rest });
      place(file, state);
      expect(readBySqlite(file)).toBeLessThan(acknowledged);
      place(file, state);
      expect(await startOn(file)).toBe('refused');
      // And nothing was changed.
      expect(rest === undefined || readFileSync(`${file}-wal`).equals(rest)).toBe(true);
    }
  });
});

describe('the guard before SQLite', () => {
  /** Returns the finding of the guard about a `-wal` file. */
  function damageOf(wal: Buffer): string | undefined {
    const file = join(memoryFolder(), 'state', 'store.db');
    place(file, new Map([['-wal', wal]]));
    return damageIn(`${file}-wal`);
  }

  /** The bytes of a frame in a file, from 1 on. */
  function frame(wal: Buffer, number: number): Buffer {
    return wal.subarray(
      HEADER_BYTES + (number - 1) * FRAME_BYTES,
      HEADER_BYTES + number * FRAME_BYTES,
    );
  }

  /** The numbers of the frames that end a transaction. */
  function commitsIn(wal: Buffer): number[] {
    const count = (wal.length - HEADER_BYTES) / FRAME_BYTES;
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    return numbers.filter((number) => frame(wal, number).readUInt32BE(4) !== 0);
  }

  it('reports nothing without a file, or for an empty one', () => {
    expect(damageIn(join(memoryFolder(), 'none-wal'))).toBeUndefined();
    for (const size of [0, 31, 32, 33, 10_000]) {
      expect(damageOf(Buffer.alloc(size))).toBeUndefined();
    }
  });

  it('is damage only if a second look finds the same', () => {
    const looksAt = (...seen: readonly ReturnType<typeof damageIn>[]) => {
      const looks = seen.values();
      return damageIn('some-wal', () => looks.next().value);
    };
    expect(looksAt('frame 3', 'frame 3')).toBe('frame 3');
    expect(looksAt('frame 3', undefined)).toBeUndefined();
    expect(looksAt('frame 3', 'frame 8')).toBeUndefined();
    expect(looksAt(undefined, 'frame 3')).toBeUndefined();
  });

  it('reports the first damaged frame, or the header', async () => {
    const wal = (await killed(30, 1, 1, 1)).get('-wal') as Buffer;
    expect(damageOf(wal)).toBeUndefined();
    for (const number of [1, 2, 5]) {
      const zeroed = Buffer.from(wal);
      frame(zeroed, number).fill(0);
      expect(damageOf(zeroed)).toBe(`frame ${number}`);
    }
    // By day one in each byte, another one in each.
    for (let bit = 0; bit < HEADER_BYTES * 8; bit += isNightly ? 1 : 9) {
      expect(damageOf(flipped(wal, bit))).toBe('its header');
    }
    expect(
      damageOf(
        Buffer.concat([
          Buffer.alloc(HEADER_BYTES + FRAME_BYTES),
          wal.subarray(HEADER_BYTES + FRAME_BYTES),
        ]),
      ),
    ).toBe('its header');
  });

  it('sees each damaged part of the last commit but one by what follows it', async () => {
    const wal = (await killed(30, 30, 30, 30)).get('-wal') as Buffer;
    const last = commitsIn(wal).at(-2) as number;
    const at = HEADER_BYTES + (last - 1) * FRAME_BYTES;
    // Its page, its salts, its sum, its contents: what of it is left proves the same.
    for (const byte of [3, 8, 12, 16, 20, 24, 2_000, FRAME_BYTES - 1]) {
      expect(damageOf(flipped(wal, (at + byte) * 8))).toBe(`frame ${last}`);
    }
  });

  it('does not report a torn last transaction, nor one of which only the end was written', async () => {
    const wal = (await killed(30, 400)).get('-wal') as Buffer;
    const [end, before] = [commitsIn(wal).at(-1) as number, commitsIn(wal).at(-2) as number];
    expect(end - before).toBeGreaterThan(5);
    for (let number = before + 1; number <= end; number++) {
      const torn = Buffer.from(wal);
      frame(torn, number).fill(0, 0, 500);
      expect(damageOf(torn)).toBeUndefined();
      expect(damageOf(wal.subarray(0, HEADER_BYTES + number * FRAME_BYTES - 1))).toBeUndefined();
    }
  });

  it('is not misled by a frame whose first half is that of an older commit', async () => {
    // Frame 42's header is the first that stands in two sectors, divided behind its first 8 bytes.
    const straddling = 42;
    expect((HEADER_BYTES + (straddling - 1) * FRAME_BYTES) % 512).toBe(504);
    const wal = Buffer.from((await killed(1_200)).get('-wal') as Buffer);
    expect(commitsIn(wal).at(-1)).toBeGreaterThan(straddling);
    // A power cut in one large transaction: an older frame's commit mark is still there in front of
    // the new frame's sum, and the next frame goes on from that sum.
    frame(wal, straddling).writeUInt32BE(77, 4);
    expect(damageOf(wal)).toBeUndefined();
  });

  it('does not report a file that is being written', async () => {
    const file = join(memoryFolder(), 'store.db');
    const child = startProgram('append-batches', file, 'close', '8', ...Array(400).fill('3'));
    let ended = false;
    const end = child.line().then(() => {
      ended = true;
    });
    let looks = 0;
    while (!ended) {
      expect(damageIn(`${file}-wal`)).toBeUndefined();
      looks += 1;
      await new Promise(setImmediate);
    }
    await end;
    expect(looks).toBeGreaterThan(10);
  });
});
