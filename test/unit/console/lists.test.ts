import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DenseRows, PARTS_MAX, PagedRows } from '../../../src/console/state/rows.ts';
import {
  HEIGHT_PX_MAX,
  offsetOf,
  ROWS_MAX,
  windowOf,
} from '../../../src/console/state/virtual-window.ts';

const ROW_PX = 34;
const lists = fc.record({
  rows: fc.oneof(fc.nat(200), fc.nat(2_000_000)),
  rowPx: fc.constant(ROW_PX),
  viewPx: fc.integer({ min: 100, max: 1_400 }),
  scrollPx: fc.oneof(fc.nat(10_000), fc.nat(2 * HEIGHT_PX_MAX)),
});

describe('The window on a long list', () => {
  it('has at most 60 rows, and the height of all of them', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const { first, end, abovePx, belowPx } = windowOf(list);
        expect(end - first).toBeLessThanOrEqual(ROWS_MAX);
        expect(Math.min(first, abovePx)).toBeGreaterThanOrEqual(0);
        expect(belowPx).toBeGreaterThanOrEqual(-0.001);
        const heightPx = abovePx + (end - first) * ROW_PX + belowPx;
        expect(heightPx).toBeCloseTo(Math.min(list.rows * ROW_PX, HEIGHT_PX_MAX), 3);
      }),
    );
  });

  it('fills the view', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const { first, end, abovePx } = windowOf(list);
        const heightPx = Math.min(list.rows * ROW_PX, HEIGHT_PX_MAX);
        const scrollPx = Math.min(list.scrollPx, Math.max(0, heightPx - list.viewPx));
        expect(abovePx).toBeLessThanOrEqual(scrollPx + 0.001);
        const bottomPx = abovePx + (end - first) * ROW_PX;
        expect(bottomPx).toBeGreaterThanOrEqual(Math.min(heightPx, scrollPx + list.viewPx) - 0.001);
      }),
    );
  });

  it('has the row that was scrolled to, the last one too', () => {
    fc.assert(
      fc.property(lists, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        fc.pre(list.rows > 0);
        const row = Math.floor(share * (list.rows - 1));
        const { first, end } = windowOf({ ...list, scrollPx: offsetOf(row, list) });
        expect(row).toBeGreaterThanOrEqual(first);
        expect(row).toBeLessThan(end);
      }),
    );
  });
});

const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('Rows that are loaded in parts', () => {
  it('are those of all pages, in whatever order they come into view', async () => {
    const lengths = fc.array(fc.nat(7), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.array(fc.nat(200)), async (pages, looks) => {
        const all = rowsOf(pages.reduce((sum, length) => sum + length, 0));
        const rows = new PagedRows<number>(async (cursor) => {
          const number = Number(cursor ?? 0);
          const first = pages.slice(0, number).reduce((sum, length) => sum + length, 0);
          const data = all.slice(first, first + (pages[number] ?? 0));
          return { data, next: number + 1 < pages.length ? String(number + 1) : null };
        });
        for (const look of looks) {
          await rows.want(look, look + 3);
          for (const row of [look, look + 1, look + 2]) expect(rows.at(row)).toBe(all[row]);
        }
        await rows.want(0, all.length + 1);
        expect([rows.isComplete, rows.count]).toEqual([true, all.length]);
      }),
    );
  });

  it('are loaded by their numbers, and the parts used last are held', async () => {
    const asked: number[] = [];
    const rows = new DenseRows<number>(10_000, 10, async (first, end) => {
      asked.push(first);
      return rowsOf(end).slice(first);
    });
    await rows.want(9_995, 10_050);
    expect([rows.at(9_999), rows.at(5)]).toEqual([9_999, undefined]);
    for (let row = 0; row <= PARTS_MAX * 10; row += 10) await rows.want(row, row + 1);
    expect(rows.at(9_999)).toBeUndefined();
    await rows.want(PARTS_MAX * 10, PARTS_MAX * 10 + 1);
    expect(asked).toHaveLength(PARTS_MAX + 2);
  });
});
