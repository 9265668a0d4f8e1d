import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackedChunks } from '../../../../src/app/log/packed-fold.ts';
import { type Chunk, OrderChunks, slotsOf } from '../../../../src/app/state/order-chunks.ts';
import { manyIds } from '../../../support/many-ids.ts';

/** Chunks over a list of ids, where the slot of an id is its place in the list. */
function chunksOf(ids: readonly bigint[], packed?: PackedChunks) {
  const chunks = new OrderChunks<readonly bigint[]>((slot) => ids[slot] as bigint, packed);
  const idsIn = (part: Chunk<unknown>) => Array.from(slotsOf(part), (slot) => ids[slot] as bigint);
  // An encoded chunk is kept in the cut, and cut again until it changes.
  const encoded = () =>
    chunks.cut().map((part) => {
      part.encoded ??= idsIn(part);
      return part.encoded;
    });
  return { chunks, encoded };
}

const ascending = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

describe('the chunks of the list', () => {
  it('are none while there are no orders', () => {
    expect(chunksOf([]).encoded()).toStrictEqual([]);
  });

  it('hold every order once, by id, in chunks that are never empty and never too long', () => {
    fc.assert(
      fc.property(manyIds(3_000), (ids) => {
        const { chunks, encoded } = chunksOf(ids);
        for (const slot of ids.keys()) {
          chunks.insert(slot);
          // Asked for every time, so that no chunk can be out of date without being noticed.
          const held = encoded().reduce((sum, chunk) => sum + chunk.length, 0);
          expect(held).toBe(slot + 1);
        }
        const all = encoded();
        expect(all.flat()).toStrictEqual(ascending(ids));
        const lengths = all.map((chunk) => chunk.length);
        expect(Math.min(...lengths)).toBeGreaterThan(0);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(1_024);
      }),
      { numRuns: 12 },
    );
  });

  it('are cut as they are, unaffected by later additions, and counted as stale until encoded', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.nat(), (ids, number) => {
        const { chunks, encoded } = chunksOf(ids);
        const count = number % ids.length;
        for (const slot of ids.slice(0, count).keys()) chunks.insert(slot);
        const parts = chunks.cut();
        expect(chunks.countStale()).toBe(parts.length);
        for (let slot = count; slot < ids.length; slot += 1) chunks.insert(slot);
        const cut = parts.flatMap((part) =>
          Array.from(slotsOf(part), (slot) => ids[slot] as bigint),
        );
        expect(cut).toStrictEqual(ascending(ids.slice(0, count)));
        encoded();
        expect(chunks.countStale()).toBe(0);
      }),
      { numRuns: 8 },
    );
  });

  it('are cut as they are, also where an order splits one and comes to the end of its lower half', () => {
    // The lower half ends with 1022, and the upper begins with 1024.
    const ids = [...Array.from({ length: 1_024 }, (_, index) => BigInt(2 * index)), 1_023n];
    const { chunks, encoded } = chunksOf(ids);
    for (const slot of ids.slice(0, -1).keys()) chunks.insert(slot);
    const [part] = chunks.cut();
    chunks.insert(1_024);
    expect(encoded().map((chunk) => chunk.length)).toStrictEqual([513, 512]);
    expect(slotsOf(part as Chunk<unknown>)).toStrictEqual(
      Uint32Array.from(ids.slice(0, -1).keys()),
    );
  });

  it('are full, all but the last, when ids ascend', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => BigInt(index));
    const { chunks, encoded } = chunksOf(ids);
    for (const slot of ids.keys()) chunks.insert(slot);
    expect(encoded().map((chunk) => chunk.length)).toStrictEqual([1_024, 1_024, 1_024, 1_024, 904]);
  });

  it('continue from a packed copy, in the same chunks, sharing nothing with it', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.nat(), (ids, number) => {
        const { chunks, encoded } = chunksOf(ids);
        const cut = number % ids.length;
        for (const slot of ids.slice(0, cut).keys()) chunks.insert(slot);
        const before = encoded();
        const again = chunksOf(ids, chunks.pack());
        expect(again.encoded()).toStrictEqual(before);
        for (let slot = cut; slot < ids.length; slot += 1) again.chunks.insert(slot);
        expect(encoded()).toStrictEqual(before);
        for (let slot = cut; slot < ids.length; slot += 1) chunks.insert(slot);
        expect(again.encoded()).toStrictEqual(encoded());
      }),
      { numRuns: 8 },
    );
  });

  it('begin with an order that belongs to them, and not to the chunk before', () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
    const { chunks, encoded } = chunksOf(ids);
    for (const slot of ids.keys()) chunks.insert(slot);
    for (const start of [0, 1_024, 2_048]) {
      const before = encoded();
      chunks.touch(start);
      const fresh = encoded().filter((chunk) => !before.includes(chunk));
      expect(fresh.map((chunk) => chunk[0])).toStrictEqual([BigInt(start)]);
      const above = Array.from(chunks.slotsAfter(BigInt(start)), (slots) => [...slots]).flat();
      expect(above).toStrictEqual(ids.slice(start + 1).map(Number));
      const below = Array.from(chunks.slotsBefore(BigInt(start)), (slots) => [...slots]).flat();
      expect(below).toStrictEqual(ids.slice(0, start).map(Number).reverse());
    }
  });

  it('are encoded again only if an order was added or touched', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.array(fc.nat(), { maxLength: 10 }), (ids, numbers) => {
        const { chunks, encoded } = chunksOf(ids);
        for (const slot of ids.slice(10).keys()) chunks.insert(slot);
        for (const [index, number] of numbers.entries()) {
          const before = encoded();
          // By turns, one that is there and one that is new.
          const isNew = index % 2 === 1;
          const slot = isNew ? ids.length - 10 + index : number % (ids.length - 10);
          if (isNew) chunks.insert(slot);
          else chunks.touch(slot);
          const fresh = encoded().filter((chunk) => !before.includes(chunk));
          expect(fresh.flat()).toContain(ids[slot]);
          // A full chunk splits in two; otherwise one chunk is all that an order costs.
          expect(fresh.length).toBeLessThanOrEqual(isNew ? 2 : 1);
        }
      }),
      { numRuns: 20 },
    );
  });
});
