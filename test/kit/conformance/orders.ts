import { INT64_EDGES } from '../arbitraries.ts';
import type { Order } from '../vocabulary.ts';
import { must, type Trial } from './trial.ts';

/** Places a minimal order; returns its id. */
export async function placePending({ api }: Trial): Promise<bigint> {
  return (await api.place({ petId: 7n, quantity: 1 })).id;
}

/** Returns the order as listed; throws a violation of the rule if it is not listed. */
export async function listed({ api }: Trial, id: bigint, rule: string): Promise<Order> {
  const order = (await api.list()).find((each) => each.id === id);
  must(order !== undefined, rule, `order ${id} is not in the list`);
  return order as Order;
}

/**
 * Returns ids at all edges that no order has or will get soon: not those just above the highest
 * one, which may be next. So no request for one of them can change an order, whatever the server
 * does.
 */
export async function absentIds({ api }: Trial): Promise<readonly bigint[]> {
  const taken = new Set((await api.list()).map(({ id }) => id));
  const highest = [...taken].reduce((high, id) => (id > high ? id : high), 0n);
  const isFar = (id: bigint) => id < 1n || id > highest + 1_000_000_000n;
  // The id after rounding to a double must be absent, too.
  return [...INT64_EDGES, -5n, -77n].filter((id) => {
    return isFar(id) && !taken.has(id) && !taken.has(BigInt.asIntN(64, BigInt(Number(id))));
  });
}

/** Strings that are not an int64, each with the id that a careless server may parse from it. */
const NO_INT64: readonly (readonly [text: string, ...readings: bigint[]])[] = [
  ['9223372036854775808', -(2n ** 63n), 2n ** 63n - 1n],
  ['-9223372036854775809', -(2n ** 63n), 2n ** 63n - 1n],
  ['-77.5', -77n, -78n],
  ['-77e1', -77n, -770n],
  ['-77x', -77n],
  ['-0', 0n],
  ['abc', 0n],
  ['%20', 0n],
];

/** Returns those strings whose parsed id belongs to no order. */
export async function absentNonsense({ api }: Trial): Promise<readonly string[]> {
  const taken = new Set((await api.list()).map(({ id }) => id));
  return NO_INT64.filter(([, ...readings]) => !readings.some((id) => taken.has(id))).map(
    ([text]) => text,
  );
}
