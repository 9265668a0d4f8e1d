import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderPages, type PackedPages } from '../../src/app/order-pages.ts';
import { manyIds } from '../support/many-ids.ts';

/** Pages over a list of ids, where the slot of an id is its place in the list. */
function pagesOf(ids: readonly bigint[], packed?: PackedPages) {
  const pages = new OrderPages<readonly bigint[]>((slot) => ids[slot] as bigint, packed);
  const encoded = () => pages.encoded((slots) => Array.from(slots, (slot) => ids[slot] as bigint));
  return { pages, encoded };
}

const ascending = (ids: readonly bigint[]) => ids.toSorted((a, b) => (a < b ? -1 : 1));

describe('the pages of the list', () => {
  it('are none while there are no orders', () => {
    expect(pagesOf([]).encoded()).toStrictEqual([]);
  });

  it('hold every order once, by id, in pages that are never empty and never too long', () => {
    fc.assert(
      fc.property(manyIds(3_000), (ids) => {
        const { pages, encoded } = pagesOf(ids);
        for (const slot of ids.keys()) {
          pages.insert(slot);
          // Asked for every time, so that no page can be out of date without being noticed.
          const held = encoded().reduce((sum, page) => sum + page.length, 0);
          expect(held).toBe(slot + 1);
        }
        const all = encoded();
        expect(all.flat()).toStrictEqual(ascending(ids));
        const lengths = all.map((page) => page.length);
        expect(Math.min(...lengths)).toBeGreaterThan(0);
        expect(Math.max(...lengths)).toBeLessThanOrEqual(1_024);
      }),
      { numRuns: 12 },
    );
  });

  it('are told which of them is the first', () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
    const { pages } = pagesOf(ids);
    for (const slot of ids.keys()) pages.insert(slot);
    const told: boolean[] = [];
    pages.encoded((_slots, first) => {
      told.push(first);
      return [];
    });
    expect(told).toStrictEqual([true, false, false]);
  });

  it('are full, all but the last, when ids ascend', () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => BigInt(index));
    const { pages, encoded } = pagesOf(ids);
    for (const slot of ids.keys()) pages.insert(slot);
    expect(encoded().map((page) => page.length)).toStrictEqual([1_024, 1_024, 1_024, 1_024, 904]);
  });

  it('go on from what was packed, which shares nothing with them, in the same pages', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.nat(), (ids, number) => {
        const { pages, encoded } = pagesOf(ids);
        const cut = number % ids.length;
        for (const slot of ids.slice(0, cut).keys()) pages.insert(slot);
        const before = encoded();
        const again = pagesOf(ids, pages.pack());
        expect(again.encoded()).toStrictEqual(before);
        for (let slot = cut; slot < ids.length; slot += 1) again.pages.insert(slot);
        expect(encoded()).toStrictEqual(before);
        for (let slot = cut; slot < ids.length; slot += 1) pages.insert(slot);
        expect(again.encoded()).toStrictEqual(encoded());
      }),
      { numRuns: 8 },
    );
  });

  it('begin with an order that belongs to them, and not to the page before', () => {
    const ids = Array.from({ length: 3_000 }, (_, index) => BigInt(index));
    const { pages, encoded } = pagesOf(ids);
    for (const slot of ids.keys()) pages.insert(slot);
    for (const start of [0, 1_024, 2_048]) {
      const before = encoded();
      pages.touch(start);
      const fresh = encoded().filter((page) => !before.includes(page));
      expect(fresh.map((page) => page[0])).toStrictEqual([BigInt(start)]);
      const above = Array.from(pages.slotsAfter(BigInt(start)), (slots) => [...slots]).flat();
      expect(above).toStrictEqual(ids.slice(start + 1).map(Number));
    }
  });

  it('are encoded again only where an order was added or touched', () => {
    fc.assert(
      fc.property(manyIds(4_000), fc.array(fc.nat(), { maxLength: 10 }), (ids, numbers) => {
        const { pages, encoded } = pagesOf(ids);
        for (const slot of ids.slice(10).keys()) pages.insert(slot);
        for (const [index, number] of numbers.entries()) {
          const before = encoded();
          // By turns, one that is there and one that is new.
          const isNew = index % 2 === 1;
          const slot = isNew ? ids.length - 10 + index : number % (ids.length - 10);
          if (isNew) pages.insert(slot);
          else pages.touch(slot);
          const fresh = encoded().filter((page) => !before.includes(page));
          expect(fresh.flat()).toContain(ids[slot]);
          // A full page splits in two; otherwise one page is all that an order costs.
          expect(fresh.length).toBeLessThanOrEqual(isNew ? 2 : 1);
        }
      }),
      { numRuns: 20 },
    );
  });
});
