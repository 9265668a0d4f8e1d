import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCopied, allGrown, columnOf, copied, grown } from '../../../../src/app/state/columns.ts';

/** The entries for which address space is reserved at first. */
const RESERVED = 2 ** 24;

describe('A column', () => {
  it('behaves like an array to which entries are added, through copies', () => {
    const operations = fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ add: fc.nat({ max: 150_000 }) }) },
        fc.constant('copy' as const),
      ),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(operations, (list) => {
        let column = columnOf(Float64Array<ArrayBuffer>);
        let size = 0;
        for (const operation of list) {
          if (operation === 'copy') {
            column = copied(column, size);
            expect(column).toHaveLength(size);
            continue;
          }
          for (const end = size + operation.add; size < end; size += 1) {
            if (size === column.length) column = grown(column);
            column[size] = size * 0.5;
          }
        }
        expect(column.length).toBeGreaterThanOrEqual(size);
        expect(column.subarray(0, size).every((value, index) => value === index * 0.5)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('grows in place, and has room for one entry more at least', () => {
    const column = columnOf(Uint32Array<ArrayBuffer>);
    column[0] = 1;
    expect(grown(column)).toBe(column);
    expect(column).toHaveLength(65_536);
    const copy = copied(column, 65_536);
    expect(grown(copy)).toHaveLength(131_072);
    expect(column).toHaveLength(65_536);
  });

  it('is moved once its address space is used up, with its entries', () => {
    const column = columnOf(Uint8Array<ArrayBuffer>, RESERVED);
    column[RESERVED - 1] = 7;
    const moved = grown(column);
    expect(moved).not.toBe(column);
    expect(moved[RESERVED - 1]).toBe(7);
    expect(moved.length).toBeGreaterThan(RESERVED);
    expect(grown(moved)).toBe(moved);
    // One that is longer from the beginning has room to grow in place, too.
    const long = columnOf(Uint8Array<ArrayBuffer>, RESERVED + 1);
    expect(grown(long)).toBe(long);
  });

  it('is grown and copied together with the others', () => {
    const columns = {
      small: columnOf(Uint8Array<ArrayBuffer>),
      large: columnOf(BigInt64Array<ArrayBuffer>),
    };
    const { small, large } = allGrown(columns);
    [small[0], large[0]] = [3, -1n];
    expect(small).toHaveLength(large.length);
    const copies = allCopied({ small, large }, 1);
    expect(copies).toStrictEqual({ small: copies.small, large: copies.large });
    expect([[...copies.small], [...copies.large]]).toStrictEqual([[3], [-1n]]);
    copies.small[0] = 4;
    expect(small[0]).toBe(3);
  });
});
