import fc, { type Arbitrary } from 'fast-check';
import type { OrderId } from '../../src/domain/order-id.ts';
import { mulberry32 } from './random.ts';

/**
 * Thousands of distinct ids in realistic orders: ascending and descending runs, random over all of
 * int64, and mixed. Generated from a seed, because drawing lists of that length one by one is slow.
 */
export function manyIds(count: number): Arbitrary<OrderId[]> {
  const patterns = fc.constantFrom('ascending', 'descending', 'random', 'mixed');
  return fc.tuple(fc.nat(), patterns).map(([seed, pattern]) => {
    const draw = mulberry32(seed);
    const first = BigInt(draw() - 2 ** 31);
    const random = () => BigInt.asIntN(64, (BigInt(draw()) << 32n) | BigInt(draw()));
    const next = {
      ascending: (index: number) => first + BigInt(index),
      descending: (index: number) => first - BigInt(index),
      random,
      mixed: (index: number) => (index % 3 === 0 ? random() : BigInt(draw() % (count * 4))),
    }[pattern];
    return [...new Set(Array.from({ length: count }, (_, index) => next(index)))] as OrderId[];
  });
}
