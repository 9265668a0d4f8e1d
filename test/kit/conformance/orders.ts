import { INT64_EDGES } from '../arbitraries.ts';
import type { Order } from '../vocabulary.ts';
import { must, type Trial } from './trial.ts';

/** Places an order that is as plain as can be; returns its id. */
export async function placePending({ api }: Trial): Promise<bigint> {
  return (await api.place({ petId: 7n, quantity: 1 })).id;
}

/** The order as the list shows it; a violation of the rule if the list does not. */
export async function listed({ api }: Trial, id: bigint, rule: string): Promise<Order> {
  const order = (await api.list()).find((each) => each.id === id);
  must(order !== undefined, rule, `order ${id} is not in the list`);
  return order as Order;
}

/**
 * Ids at all edges that no order has, nor will soon: not just above the highest one, which may be
 * the next to be given. Whatever a server makes of a request for one of them, no order suffers.
 */
export async function absentIds({ api }: Trial): Promise<readonly bigint[]> {
  const taken = new Set((await api.list()).map(({ id }) => id));
  const highest = [...taken].reduce((high, id) => (id > high ? id : high), 0n);
  const isFar = (id: bigint) => id < 1n || id > highest + 1_000_000_000n;
  // What a rounding would make of the id must be absent, too.
  return [...INT64_EDGES, -5n, -77n].filter((id) => {
    return isFar(id) && !taken.has(id) && !taken.has(BigInt.asIntN(64, BigInt(Number(id))));
  });
}

/** Texts that are no int64, with what a careless server may read in them. */
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

/** Texts that are no int64 and would lead to no order even if somebody read one in them. */
export async function absentNonsense({ api }: Trial): Promise<readonly string[]> {
  const taken = new Set((await api.list()).map(({ id }) => id));
  return NO_INT64.filter(([, ...readings]) => !readings.some((id) => taken.has(id))).map(
    ([text]) => text,
  );
}
