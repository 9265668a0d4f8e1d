import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PresentOrder } from '../../../../src/app/import/import-plan.ts';
import { isSameOrder, orderOf, orderText } from '../../../../src/app/import/order-text.ts';
import { CANCEL_REASONS } from '../../../../src/domain/order.ts';
import { STATUSES } from '../../../../src/domain/order-lives.ts';
import { instants, int64s, quantities } from '../../../kit/arbitraries.ts';

const PLAIN = { noNullPrototype: true } as const;

const facts = {
  id: int64s,
  petId: int64s,
  quantity: quantities,
  shipDate: fc.option(instants, { nil: undefined }),
};

const orders = fc.oneof(
  fc.record({ ...facts, status: fc.constantFrom(...STATUSES) }, PLAIN),
  fc.record(
    {
      ...facts,
      status: fc.constant('cancelled'),
      cancelReason: fc.constantFrom(...CANCEL_REASONS),
    },
    PLAIN,
  ),
) as unknown as fc.Arbitrary<PresentOrder>;

const numbers = fc.nat({ max: 2 ** 50 });

test('an order is the same after it was a text', () => {
  fc.assert(
    fc.property(orders, numbers, (order, number) => {
      expect(orderOf(order.id, orderText({ number, order }))).toStrictEqual({ number, order });
    }),
  );
});

test('two texts are the same exactly if all but their numbers is', () => {
  fc.assert(
    fc.property(orders, orders, numbers, numbers, (order, other, number, another) => {
      const text = orderText({ number, order });
      expect(isSameOrder(text, orderText({ number: another, order }))).toBe(true);
      const changed = Object.entries(other).filter(([name]) => name !== 'id');
      for (const [name, value] of changed) {
        const wanted = { ...order, [name]: value };
        const isEqual = value === order[name as keyof PresentOrder];
        expect(isSameOrder(text, orderText({ number: another, order: wanted })), name).toBe(
          isEqual,
        );
      }
    }),
  );
});
