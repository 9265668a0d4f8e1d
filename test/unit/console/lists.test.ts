import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DenseRows, PARTS_MAX, PagedRows } from '../../../src/console/state/rows.ts';
import {
  HEIGHT_PX_MAX,
  offsetOf,
  ROWS_MAX,
  rowAt,
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

  it('has its place again at another length, for which the browser compresses it', () => {
    fc.assert(
      fc.property(
        lists,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(2_000_000),
        (...given) => {
          const [list, share, more] = given;
          const row = share * Math.max(0, list.rows - Math.ceil(list.viewPx / ROW_PX));
          const grown = { ...list, rows: list.rows + more };
          expect(rowAt({ ...grown, scrollPx: offsetOf(row, grown) })).toBeCloseTo(row, 3);
        },
      ),
    );
  });
});

const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Returns rows in pages of these lengths, and the cursors that were asked for. */
function pagedRows(pages: readonly number[]) {
  const all = rowsOf(pages.reduce((sum, length) => sum + length, 0));
  const asked: number[] = [];
  const rows = new PagedRows<number>(async (cursor) => {
    const number = Number(cursor ?? 0);
    // More often than this no property allows: a walk without an end fails in place of hanging.
    if (asked.push(number) > 10_000) throw new Error('it asks for pages without an end');
    const first = pages.slice(0, number).reduce((sum, length) => sum + length, 0);
    const data = all.slice(first, first + (pages[number] ?? 0));
    return { data, next: number + 1 < pages.length ? String(number + 1) : null };
  });
  return { rows, all, asked };
}

describe('Rows that are loaded in parts', () => {
  it('are those of all pages, in whatever order they come into view', async () => {
    const lengths = fc.array(fc.nat(7), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.array(fc.nat(200)), async (pages, looks) => {
        const { rows, all } = pagedRows(pages);
        for (const look of looks) {
          await rows.want(look, look + 3);
          for (const row of [look, look + 1, look + 2]) expect(rows.at(row)).toBe(all[row]);
        }
        await rows.want(0, all.length + 1);
        expect([rows.isComplete, rows.count]).toEqual([true, all.length]);
      }),
    );
  });

  it('take one request for each page of the window, however short the pages are', async () => {
    const lengths = fc.array(fc.nat(3), { minLength: 1, maxLength: 200, size: 'max' });
    const windows = fc.array(fc.nat(300), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(lengths, windows, async (pages, firsts) => {
        const { rows, all, asked } = pagedRows(pages);
        const wanted = firsts.map((first) => ({ first, end: first + ROWS_MAX }));
        // A table wants the rows in view, and at the same time the one that it scrolls to.
        await Promise.all(wanted.map(({ first, end }) => rows.want(first, end)));
        expect(asked.length).toBeLessThanOrEqual(pages.length);
        const [{ first = 0, end = 0 } = {}] = wanted;
        await rows.want(first, end);
        const before = asked.length;
        const shown = all.slice(first, end);
        expect(shown.map((_, index) => rows.at(first + index))).toEqual(shown);
        await rows.want(first, end);
        expect(asked).toHaveLength(before);
      }),
    );
  });

  it('are not asked for again if a page has fewer of them the second time', async () => {
    let requests = 0;
    const rows = new PagedRows<number>(async (cursor) => {
      requests += 1;
      if (requests > 1_000) throw new Error('it asks for pages without an end');
      const number = Number(cursor ?? 0);
      const data = requests > 2 * PARTS_MAX ? [] : rowsOf(2);
      return { data, next: number < 2 * PARTS_MAX - 1 ? String(number + 1) : null };
    });
    for (let row = 0; row < 4 * PARTS_MAX; row += 2) await rows.want(row, row + 2);
    await rows.want(0, 2);
    expect([requests, rows.at(0)]).toEqual([2 * PARTS_MAX + 1, undefined]);
  });

  it('are not loaded any more once nobody wants them', async () => {
    const ending = new AbortController();
    const { rows, asked } = pagedRows(Array.from({ length: 100 }, () => 1));
    const wanted = rows.want(0, ROWS_MAX, ending.signal);
    await rows.want(0, 3);
    ending.abort();
    await wanted;
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it('are not loaded any more by their numbers either', async () => {
    const ending = new AbortController();
    const asked: number[] = [];
    const rows = new DenseRows<number>(1_000, 10, async (first, end) => {
      if (asked.push(first) === 3) ending.abort();
      return rowsOf(end).slice(first);
    });
    await rows.want(0, 1_000, ending.signal);
    expect(asked).toEqual([0, 10, 20]);
  });

  it('are loaded once for all who want them', async () => {
    const asked: number[] = [];
    const rows = new DenseRows<number>(100, 10, async (first, end) => {
      asked.push(first);
      return rowsOf(end).slice(first);
    });
    await Promise.all([rows.want(0, 20), rows.want(0, 20), rows.want(15, 16)]);
    expect(asked.sort((one, other) => one - other)).toEqual([0, 10]);
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
