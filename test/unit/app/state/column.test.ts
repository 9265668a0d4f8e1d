import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackedColumn } from '../../../../src/app/log/packed-fold.ts';
import { Column, ENTRY_LIMIT, SEGMENT_ENTRIES } from '../../../../src/app/state/column.ts';
import { Int64Column } from '../../../../src/app/state/int64-column.ts';
import { mulberry32 } from '../../../support/random.ts';

const MAX = ENTRY_LIMIT - 1;

/** Entries that are close to each other, on a grid, far apart, or each of these in turn. */
const runs: Arbitrary<readonly number[]> = fc
  .array(
    fc.record(
      {
        from: fc.oneof(
          fc.integer({ min: -MAX, max: MAX }),
          fc.constantFrom(0, MAX, -MAX, 2 ** 32, 1_780_000_000_000),
        ),
        step: fc.oneof(
          fc.integer({ min: -300, max: 300 }),
          fc.constantFrom(0, 1_000, 86_400_000, 2 ** 31, 2 ** 40, -(2 ** 50)),
        ),
        count: fc.integer({ min: 1, max: 12 }),
      },
      { noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) =>
    parts.flatMap(({ from, step, count }) => {
      const entries = Array.from({ length: count }, (_, index) => from + step * index);
      return entries.filter((entry) => Math.abs(entry) <= MAX);
    }),
  );

/** Returns the bytes of the offsets of a column, by its segments. */
const bytesOf = (column: { pack(): PackedColumn }) => {
  return column.pack().segments.map(({ offsets }) => {
    return offsets.length === 0 ? 0 : offsets.BYTES_PER_ELEMENT;
  });
};

function columnOf(entries: readonly number[]): Column {
  const column = new Column();
  for (const [index, entry] of entries.entries()) column.set(index, entry);
  return column;
}

const indexesUpTo = (count: number) => Uint32Array.from({ length: count }, (_, index) => index);

describe('A column', () => {
  it('has the entries that were set, also after it was packed', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.tuple(fc.nat(), fc.nat())), (entries, changes) => {
        const expected = [...entries];
        const column = columnOf(expected);
        for (const [at, from] of changes) {
          if (expected.length === 0) break;
          const index = at % expected.length;
          expected[index] = expected[from % expected.length] as number;
          column.set(index, expected[index] as number);
        }
        for (const each of [column, new Column(column.pack())]) {
          expect(each).toHaveLength(expected.length);
          expect(expected.map((_, index) => each.get(index))).toStrictEqual(expected);
          const all = new Float64Array(expected.length);
          each.read(indexesUpTo(expected.length), expected.length, all);
          expect([...all]).toStrictEqual(expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lacks the entries that were never set if it is sparse', () => {
    const places = fc.uniqueArray(fc.nat({ max: 3 * SEGMENT_ENTRIES }), { maxLength: 20 });
    fc.assert(
      fc.property(places, runs, (indexes, entries) => {
        const expected = new Map(
          indexes.slice(0, entries.length).map((index, at) => [index, entries[at] as number]),
        );
        const column = new Column(undefined, 'sparse');
        for (const [index, entry] of expected) column.set(index, entry);
        for (const each of [column, new Column(column.pack(), 'sparse')]) {
          for (let index = 0; index < 3 * SEGMENT_ENTRIES; index += 1) {
            const [entry, right] = [each.get(index), expected.get(index) ?? Number.NaN];
            // An assertion for each of millions of entries would take a minute.
            if (!Object.is(entry, right)) expect([index, entry]).toStrictEqual([index, right]);
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('finds the entries within a range', () => {
    const edge = fc.oneof(
      fc.integer({ min: -MAX, max: MAX }),
      fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
    );
    fc.assert(
      fc.property(
        runs,
        fc.constantFrom('dense', 'sparse'),
        fc.array(fc.nat()),
        edge,
        edge,
        (entries, kind, choice, one, other) => {
          const column = new Column(undefined, kind);
          for (const [index, entry] of entries.entries()) {
            if (kind === 'dense' || index % 3 !== 0) column.set(index, entry);
          }
          // Around an entry more often than not, and in any order.
          const lowest = entries[choice[0] ?? 0] ?? one;
          const indexes = Uint32Array.from([
            ...choice.map((number) => number % Math.max(1, entries.length)),
            ...entries.keys(),
          ]);
          const passing = [...indexes].filter((index) => {
            const isThere = kind === 'dense' || index % 3 !== 0;
            const entry = entries[index] as number;
            return isThere && entry >= lowest && entry < other;
          });
          const into = new Uint32Array(indexes.length);
          const count = column.within(indexes, indexes.length, into, lowest, other);
          if (entries.length > 0) expect([...into.subarray(0, count)]).toStrictEqual(passing);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds entries across segments', () => {
    const count = 2 * SEGMENT_ENTRIES + 100;
    const column = columnOf(Array.from({ length: count }, (_, index) => index % 1_000));
    const indexes = indexesUpTo(count).reverse();
    const into = new Uint32Array(count);
    const passed = column.within(indexes, count, into, 7, 9);
    const due = [...indexes].filter((index) => index % 1_000 === 7 || index % 1_000 === 8);
    expect([...into.subarray(0, passed)]).toStrictEqual(due);
    const all = new Float64Array(count);
    column.read(indexes, count, all);
    expect([...all]).toStrictEqual([...indexes].map((index) => index % 1_000));
  });

  it.each<[bytes: number, what: string, entryAt: (index: number) => number]>([
    [0, 'that are all the same', () => 1_780_000_000_000],
    [1, 'of a small range', (index) => 2 ** 40 + (index % 200)],
    [1, 'on a few whole days', (index) => (index % 90) * 86_400_000],
    [2, 'that count up', (index) => 2 ** 33 + index],
    [2, 'that count down', (index) => -index],
    [4, 'on whole seconds of a year', (index) => ((index * 7_919) % 31_536_000) * 1_000],
    [8, 'that are far apart', (index) => (index % 2 === 0 ? index : 2 ** 45 + index)],
  ])('takes %d bytes for entries %s', (bytes, _, entryAt) => {
    const column = columnOf(Array.from({ length: SEGMENT_ENTRIES + 10 }, (_, at) => entryAt(at)));
    expect(bytesOf(column)[0]).toBe(bytes);
  });

  it('encodes a segment a few times only, in whatever order its entries come', () => {
    const draw = mulberry32(7);
    const orders = {
      ascending: (index: number) => index * 250_000,
      descending: (index: number) => -index * 250_000,
      alternating: (index: number) => (index % 2 === 0 ? index : -index) * 125_000,
      random: () => draw(),
      halving: (index: number) => 2 ** 40 / 2 ** (index % 40),
    };
    for (const [name, entryAt] of Object.entries(orders)) {
      const column = new Column();
      let encoded = 0;
      let before = '';
      for (let index = 0; index < 2_000; index += 1) {
        column.set(index, Math.floor(entryAt(index)));
        const { base, unit, offsets } = column.pack().segments[0] as PackedColumn['segments'][0];
        const now = `${base} ${unit} ${offsets.BYTES_PER_ELEMENT}`;
        if (now !== before) encoded += 1;
        before = now;
      }
      expect([name, encoded < 100]).toStrictEqual([name, true]);
    }
  });

  it('shares nothing with what was packed', () => {
    const column = columnOf([1, 2, 3]);
    const packed = column.pack();
    const again = new Column(packed);
    again.set(1, 9);
    expect([column.get(1), again.get(1), new Column(packed).get(1)]).toStrictEqual([2, 9, 2]);
  });
});

describe('A column of 64-bit integers', () => {
  const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const nearby = fc.integer({ min: -100, max: 100 }).map(BigInt);
  const edges = fc.constantFrom(2n ** 52n, -(2n ** 52n), 2n ** 53n, 2n ** 32n, -(2n ** 32n));
  const entry = fc.oneof(
    int64,
    nearby,
    fc.tuple(edges, nearby).map(([edge, by]) => edge + by),
  );

  it.each([0, 1] as const)('has the entries that were set, with a slope of %d', (slope) => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const column = new Int64Column(undefined, slope);
        for (const [index, each] of entries.entries()) column.set(index, each);
        for (const each of [column, new Int64Column(column.pack(), slope)]) {
          expect(entries.map((_, index) => each.get(index))).toStrictEqual(entries);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('finds those that equal an integer', () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1 }), fc.nat(), entry, (entries, at, other) => {
        const column = new Int64Column();
        for (const [index, each] of entries.entries()) column.set(index, each);
        const indexes = indexesUpTo(entries.length);
        for (const value of [entries[at % entries.length] as bigint, other]) {
          const into = new Uint32Array(entries.length);
          const count = column.equal(indexes, entries.length, into, value);
          const due = [...entries.keys()].filter((index) => entries[index] === value);
          expect([...into.subarray(0, count)]).toStrictEqual(due);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('takes no memory for ids that count up', () => {
    const column = new Int64Column(undefined, 1);
    for (let index = 0; index < 1_000; index += 1) column.set(index, BigInt(5_000 + index));
    const { high, low } = column.pack();
    expect([...high.segments, ...low.segments].map(({ offsets }) => offsets.length)).toStrictEqual([
      0, 0,
    ]);
  });
});
