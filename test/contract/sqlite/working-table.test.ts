import { readdirSync, statfsSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../../src/app/lifecycle/user-error.ts';
import type { Entry } from '../../../src/app/ports/working-table.ts';
import { openWorkingTable } from '../../../src/infra/sqlite/working-table.ts';
import { int64s } from '../../kit/arbitraries.ts';
import { anyText } from '../../support/any-text.ts';
import { isNightly } from '../../support/nightly.ts';
import { mulberry32 } from '../../support/random.ts';
import { canMount, SmallDisk } from '../../support/small-disk.ts';

/** Texts of so many characters each, and so many of them, are twice what the cache holds. */
const [TEXT_LENGTH, MORE_THAN_CACHED] = isNightly ? [1_000, 65_000] : [8_000, 8_125];

const { SQLITE_TMPDIR } = process.env;

afterEach(() => {
  if (SQLITE_TMPDIR === undefined) delete process.env.SQLITE_TMPDIR;
  else process.env.SQLITE_TMPDIR = SQLITE_TMPDIR;
});

function opened() {
  const table = openWorkingTable();
  onTestFinished(() => table.close());
  return table;
}

const textOf = (key: bigint) => `${key} `.repeat(TEXT_LENGTH).slice(0, TEXT_LENGTH);

test('a working table is a Map of int64 to text', () => {
  const texts = anyText().filter((text) => text.isWellFormed());
  const keys = fc.oneof(int64s, fc.bigInt({ min: 0n, max: 3n }));
  const entries = fc
    .array(fc.tuple(keys, texts), { maxLength: 150, size: 'max' })
    // No two entries with the same key have the same text.
    .map((all) => all.map(([key, text], index): Entry => [key, `${index} ${text}`]));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), entries)), (steps) => {
      const table = openWorkingTable();
      const model = new Map<bigint, string>();
      for (const [isPut, some] of steps) {
        if (isPut) table.put(some);
        else expect(table.add(some)).toEqual(leftOut(model, some));
        for (const [key, text] of some) if (isPut || !model.has(key)) model.set(key, text);
        const asked = [...some.map(([key]) => key), 17n, 2n ** 62n];
        const known = asked.filter((key) => model.has(key));
        const found = known.map((key) => [key, model.get(key)] as const);
        expect(table.getAll(asked)).toEqual(new Map(found));
        for (const key of asked.slice(0, 5)) expect(table.get(key)).toBe(model.get(key));
      }
      expect(table.size).toBe(model.size);
      expect([...table.pages()].flat()).toEqual([...model]);
      expect(table.highestKey()).toBe([...model.keys()].sort((a, b) => (a < b ? 1 : -1))[0]);
      table.close();
    }),
  );
});

/** Returns the entries that a table with these texts does not take. */
function leftOut(has: ReadonlyMap<bigint, string>, entries: readonly Entry[]): readonly Entry[] {
  const all = new Map(has);
  return entries.filter(([key, text]) => {
    if (!all.has(key)) all.set(key, text);
    return all.get(key) !== text;
  });
}

test('a table may be changed and read while its pages are', () => {
  const table = opened();
  table.add(Array.from({ length: 5_000 }, (_, key) => [BigInt(key), 'a'] as const));
  let seen = 0;
  for (const page of table.pages()) {
    table.put(page.map(([key]) => [key, 'b']));
    expect(table.get((page[0] as Entry)[0])).toBe('b');
    seen += page.length;
  }
  expect(seen).toBe(5_000);
});

test.skipIf(!canMount)('a table larger than its cache is in a file, which nobody sees', () => {
  const disk = new SmallDisk(256 * 1_024);
  process.env.SQLITE_TMPDIR = disk.folder;
  const table = opened();
  const draw = mulberry32(1);
  const keys = Array.from({ length: MORE_THAN_CACHED }, (_, key) => BigInt(key) ** 2n);
  const entries = keys
    .map((key): [number, Entry] => [draw(), [key, textOf(key)]])
    .sort(([a], [b]) => a - b)
    .map(([, entry]) => entry);
  expect(table.add(entries)).toEqual([]);
  const { bsize, blocks, bfree } = statfsSync(disk.folder);
  expect((blocks - bfree) * bsize).toBeGreaterThan(MORE_THAN_CACHED * TEXT_LENGTH * 0.4);
  expect(readdirSync(disk.folder)).toEqual([]);
  let index = 0;
  for (const page of table.pages()) {
    expect(page).toEqual(entries.slice(index, index + page.length));
    index += page.length;
  }
  expect(index).toBe(MORE_THAN_CACHED);
  table.close();
  expect(statfsSync(disk.folder).bfree).toBe(blocks);
});

test.skipIf(!canMount)('a full disk is an error that names the folder and the settings', () => {
  const { folder } = new SmallDisk(1_024);
  process.env.SQLITE_TMPDIR = folder;
  const table = opened();
  const fill = () => {
    for (let key = 0n; key < MORE_THAN_CACHED; key++) table.add([[key, textOf(key)]]);
  };
  expect(fill).toThrow(UserError);
  expect(fill).toThrow(
    `The folder for temporary files, ${folder}, cannot be used: database or disk is full. ` +
      'SQLITE_TMPDIR, or else TMPDIR, names another.',
  );
});
