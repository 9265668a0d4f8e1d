import fc, { type Arbitrary } from 'fast-check';
import type { OrderId } from '../../src/domain/order-id.ts';

/**
 * Thousands of different ids, in the orders in which ids come: ascending and descending runs,
 * at random over all of int64, and mixed. Made from a seed, because lists of that length are slow
 * to draw one by one.
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

/** A small generator of pseudo-random 32-bit numbers. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
