import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_POSITION } from '../../../../src/app/log/positions.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { STATUSES } from '../../../../src/domain/order-lives.ts';
import {
  type Asked,
  CURSOR,
  cursorAfter,
  readCursor,
} from '../../../../src/http/requests/cursor.ts';
import { instants, orderIds, petIds } from '../../../support/arbitraries.ts';

const positions = fc.oneof(
  fc.nat(),
  fc.maxSafeNat().map((any) => any % (MAX_POSITION + 1)),
  fc.constant(MAX_POSITION),
);
const filters = fc.record(
  {
    status: fc.constantFrom(...STATUSES),
    petId: petIds,
    complete: fc.boolean(),
    placedFrom: instants,
    placedTo: instants,
    asOf: fc.oneof(instants, positions),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** A list as of a time is one as of a position, whichever that was. */
function placeFor(id: OrderId, { asOf }: Asked) {
  return { id, asOf: typeof asOf === 'string' ? MAX_POSITION : asOf };
}

describe('A cursor', () => {
  it('is read as the id that it was made for, with the same filter', () => {
    fc.assert(
      fc.property(orderIds, filters, (id, filter) => {
        const place = placeFor(id, filter);
        const cursor = cursorAfter(place, filter);
        expect(cursor).toMatch(CURSOR);
        const reversed = Object.fromEntries(Object.entries(filter).reverse()) as Asked;
        expect(readCursor(cursor, { ...reversed, shipDateTo: undefined })).toStrictEqual(place);
      }),
    );
  });

  it('is none for another filter', () => {
    fc.assert(
      fc.property(orderIds, filters, filters, (id, filter, other) => {
        const text = (value: Asked) =>
          Object.entries(value)
            .map(([name, its]) => `${name} ${its}`)
            .sort()
            .join();
        fc.pre(text(filter) !== text(other));
        expect(readCursor(cursorAfter(placeFor(id, filter), filter), other)).toBeUndefined();
      }),
    );
  });

  it('is none with any bit changed', () => {
    fc.assert(
      fc.property(orderIds, filters, fc.nat(), (id, filter, any) => {
        const bytes = Buffer.from(cursorAfter(placeFor(id, filter), filter), 'base64url');
        const bit = any % (bytes.length * 8);
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
