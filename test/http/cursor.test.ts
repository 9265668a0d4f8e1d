import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderFilter } from '../../src/app/order-query.ts';
import { CURSOR, CURSOR_LENGTH, cursorAfter, readCursor } from '../../src/http/cursor.ts';
import { instants, orderIds, petIds } from '../support/arbitraries.ts';

const filters = fc.record(
  {
    status: fc.constantFrom('pending', 'shipped', 'cancelled'),
    petId: petIds,
    complete: fc.boolean(),
    placedFrom: instants,
    placedTo: instants,
  },
  { requiredKeys: [], noNullPrototype: true },
);

describe('A cursor', () => {
  it('is read as the id that it was made for, with the same filter', () => {
    fc.assert(
      fc.property(orderIds, filters, (id, filter) => {
        const cursor = cursorAfter(id, filter);
        expect(cursor).toMatch(CURSOR);
        expect(cursor).toHaveLength(CURSOR_LENGTH);
        const reversed = Object.fromEntries(Object.entries(filter).reverse()) as OrderFilter;
        expect(readCursor(cursor, { ...reversed, shipDateTo: undefined })).toBe(id);
      }),
    );
  });

  it('is none for another filter', () => {
    fc.assert(
      fc.property(orderIds, filters, filters, (id, filter, other) => {
        const text = (value: OrderFilter) =>
          Object.entries(value)
            .map(([name, its]) => `${name} ${its}`)
            .sort()
            .join();
        fc.pre(text(filter) !== text(other));
        expect(readCursor(cursorAfter(id, filter), other)).toBeUndefined();
      }),
    );
  });

  it('is none with any bit changed', () => {
    fc.assert(
      fc.property(orderIds, filters, fc.nat(13 * 8 - 1), (id, filter, bit) => {
        const bytes = Buffer.from(cursorAfter(id, filter), 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(readCursor(bytes.toString('base64url'), filter)).toBeUndefined();
      }),
    );
  });

  it('is no other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readCursor(text, {})).toBeUndefined();
      }),
    );
  });
});
