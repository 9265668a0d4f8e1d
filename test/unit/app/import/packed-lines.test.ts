import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedOrder } from '../../../../src/app/import/imported-order.ts';
import { type GoodLine, PackedLines } from '../../../../src/app/import/packed-lines.ts';
import { CANCEL_REASONS, MAX_QUANTITY } from '../../../../src/domain/order.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { instants, int64s, quantities } from '../../../kit/arbitraries.ts';
import { manyIds } from '../../../support/many-ids.ts';

const facts = { id: int64s, petId: int64s, quantity: quantities };
const shipDate = fc.option(instants, { nil: undefined });

const PLAIN = { noNullPrototype: true } as const;

const orders = fc.oneof(
  fc.record({ ...facts, shipDate, status: fc.constant('pending') }, PLAIN),
  fc.record({ ...facts, shipDate: instants, status: fc.constant('shipped') }, PLAIN),
  fc.record({ ...facts, shipDate, status: fc.constant('cancelled') }, PLAIN),
  fc.record(
    {
      ...facts,
      shipDate,
      status: fc.constant('cancelled'),
      cancelReason: fc.constantFrom(...CANCEL_REASONS),
    },
    PLAIN,
  ),
) as unknown as fc.Arbitrary<ImportedOrder>;

const goodLines: fc.Arbitrary<readonly GoodLine[]> = fc.uniqueArray(
  fc.record({ line: fc.nat({ max: 2 ** 50 }), order: orders }, PLAIN),
  { selector: ({ order }) => order.id, maxLength: 100 },
);

function packed(lines: readonly GoodLine[]): PackedLines {
  const all = new PackedLines();
  for (const line of lines) all.add(line);
  return all;
}

describe('the lines of an import, packed', () => {
  it('are what was added, by their place and by their order', () => {
    fc.assert(
      fc.property(goodLines, (lines) => {
        const all = packed(lines);
        expect(all.size).toBe(lines.length);
        for (const [place, line] of lines.entries()) {
          expect(all.at(place)).toStrictEqual(line);
          expect(all.find(line.order.id)).toStrictEqual(line);
        }
      }),
    );
  });

  it('has none of an order that was not added', () => {
    fc.assert(
      fc.property(goodLines, int64s, (lines, id) => {
        fc.pre(!lines.some(({ order }) => order.id === id));
        expect(packed(lines).find(id as OrderId)).toBeUndefined();
      }),
    );
  });

  it('keeps what it has while it grows', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat({ max: 100 }), { minLength: 1 }),
        manyIds(200),
        (places, ids) => {
          // More lines than columns have room for at first.
          const total = 70_000;
          const distinct = new Set(ids.map(BigInt));
          for (let id = 0n; distinct.size < total; id += 1n) distinct.add(id);
          const lines = Array.from(distinct, (id, index) => ({
            line: index + 1,
            order: { ...FACTS, id: id as OrderId, quantity: (index % MAX_QUANTITY) + 1 },
          }));
          const all = packed(lines);
          for (const place of [...places, total - 1]) {
            expect(all.at(place)).toStrictEqual(lines[place]);
          }
        },
      ),
      { numRuns: 3 },
    );
  });
});

const FACTS = { petId: -1n, shipDate: undefined, status: 'pending' } as unknown as ImportedOrder;
