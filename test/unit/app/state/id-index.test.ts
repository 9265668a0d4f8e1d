import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdIndex } from '../../../../src/app/state/id-index.ts';
import { MAX_INT64, MIN_INT64 } from '../../../../src/domain/order-id.ts';
import { int64s } from '../../../kit/arbitraries.ts';
import { manyIds } from '../../../support/many-ids.ts';
import { runs } from '../../../support/nightly.ts';

/** Adds keys to the index and to a Map, and sees that both agree on each and at the end. */
function agreesWithMap(keys: readonly bigint[]): void {
  const index = new IdIndex();
  const map = new Map<bigint, number>();
  for (const key of keys) {
    expect(index.slotOf(key)).toBe(map.get(key) ?? -1);
    const slot = map.get(key) ?? map.size;
    map.set(key, slot);
    expect(index.add(key)).toBe(slot);
  }
  for (const [key, slot] of map) expect(index.slotOf(key)).toBe(slot);
}

describe('the index of 64-bit keys', () => {
  it('is empty at first', () => {
    expect(new IdIndex().slotOf(0n)).toBe(-1);
  });

  it('agrees with a Map on any keys, added once or again', () => {
    fc.assert(fc.property(fc.array(int64s, { maxLength: 200 }), agreesWithMap));
  });

  it('agrees with a Map while it grows several times', () => {
    fc.assert(fc.property(manyIds(4_000), agreesWithMap), { numRuns: runs(8) });
  });

  it('continues from a copy that shares nothing with it', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.nat(), (keys, number) => {
        const cut = number % keys.length;
        const index = new IdIndex();
        for (const key of keys.slice(0, cut)) index.add(key);
        const copy = new IdIndex(index.pack());
        for (const key of keys.slice(cut)) copy.add(key);
        expect([index.size, copy.size]).toStrictEqual([cut, keys.length]);
        expect(keys.map((key) => copy.slotOf(key))).toStrictEqual([...keys.keys()]);
        expect(keys.map((key) => index.slotOf(key))).toStrictEqual(
          Array.from(keys, (_, slot) => (slot < cut ? slot : -1)),
        );
      }),
      { numRuns: runs(8) },
    );
  });

  it('agrees with a Map on runs of any lengths, in any order, also at the ends of int64', () => {
    const edges = [0n, 2n ** 53n - 70n, -(2n ** 53n) - 70n, MIN_INT64, MAX_INT64 - 200n];
    const first = fc.oneof(
      fc.constantFrom(...edges),
      fc.bigInt({ min: -1_000n, max: 1_000n }),
      int64s.map((id) => (id > MAX_INT64 - 200n ? MAX_INT64 - 200n : id)),
    );
    const run = fc.tuple(first, fc.oneof(fc.nat(3), fc.integer({ min: 60, max: 200 })));
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const keys = runs.flatMap(([from, length]) => {
          return Array.from({ length }, (_, index) => from + BigInt(index));
        });
        agreesWithMap(keys);
        const index = new IdIndex();
        for (const key of keys) index.add(key);
        const copy = new IdIndex(index.pack());
        for (const key of keys) expect(copy.slotOf(key)).toBe(index.slotOf(key));
      }),
    );
  });

  it('holds ids that count up as a run, beside those of an import', () => {
    const index = new IdIndex();
    for (let id = 1n; id <= 1_000n; id += 1n) index.add(id);
    for (const id of [9_000n, 5_000n, 7_000n]) index.add(id);
    for (let id = 9_001n; id <= 9_100n; id += 1n) index.add(id);
    expect(index.pack()).toMatchObject({
      size: 1_103,
      runs: [{ first: 1, slot: 0, length: 1_000 }],
      open: { first: 9_001, slot: 1_003, length: 100 },
      table: { size: 3 },
    });
  });

  it('finds its way among keys that differ in their upper half only', () => {
    agreesWithMap(Array.from({ length: 3_000 }, (_, index) => BigInt(index - 1_500) << 32n));
  });
});
