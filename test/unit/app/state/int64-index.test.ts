import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Int64Index } from '../../../../src/app/state/int64-index.ts';
import { int64s } from '../../../kit/arbitraries.ts';
import { manyIds } from '../../../support/many-ids.ts';

/** Adds keys to the index and to a Map, and sees that both agree on each and at the end. */
function agreesWithMap(keys: readonly bigint[]): void {
  const index = new Int64Index();
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
    expect(new Int64Index().slotOf(0n)).toBe(-1);
  });

  it('agrees with a Map on any keys, added once or again', () => {
    fc.assert(fc.property(fc.array(int64s, { maxLength: 200 }), agreesWithMap));
  });

  it('agrees with a Map while it grows several times', () => {
    fc.assert(fc.property(manyIds(4_000), agreesWithMap), { numRuns: 8 });
  });

  it('continues from a copy that shares nothing with it', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.nat(), (keys, number) => {
        const cut = number % keys.length;
        const index = new Int64Index();
        for (const key of keys.slice(0, cut)) index.add(key);
        const copy = new Int64Index(index.pack());
        for (const key of keys.slice(cut)) copy.add(key);
        expect([index.size, copy.size]).toStrictEqual([cut, keys.length]);
        expect(keys.map((key) => copy.slotOf(key))).toStrictEqual([...keys.keys()]);
        expect(keys.map((key) => index.slotOf(key))).toStrictEqual(
          Array.from(keys, (_, slot) => (slot < cut ? slot : -1)),
        );
      }),
      { numRuns: 8 },
    );
  });

  it('finds its way among keys that differ in their upper half only', () => {
    agreesWithMap(Array.from({ length: 3_000 }, (_, index) => BigInt(index - 1_500) << 32n));
  });
});
