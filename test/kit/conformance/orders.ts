import { INT64_EDGES } from '../arbitraries.ts';
import { ORDER } from '../targets/trace.ts';
import type { Order } from '../vocabulary.ts';
import { must, type Trial } from './trial.ts';

/** Places a minimal order; returns its id. */
export async function placePending({ api }: Trial): Promise<bigint> {
  return (await api.place({ petId: 7n, quantity: 1 })).id;
}

let pets = 0n;

/** Returns an animal that no other order names, nor any of the next thousand. */
export function freshPet(): bigint {
  pets += 1_000n;
  return BigInt(Date.now()) * 1_000_000n + pets;
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
  return [...INT64_EDGES, -5n, -77n, -1_000_000_007n].filter((id) => {
    return isFar(id) && !readingsOf(id).some((reading) => taken.has(reading));
  });
}

/** Returns an id, and the ids that a careless server may take it for. */
function readingsOf(id: bigint): readonly bigint[] {
  const rounded = BigInt.asIntN(64, BigInt(Number(id)));
  return [id, rounded, -id, BigInt.asIntN(32, id), BigInt.asUintN(32, id)];
}

/** A path's id that is not the id of any order. */
export interface Form {
  /** The text in the path. */
  readonly text: string;
  /** The text in a shell, with {@link ORDER} for the order's id. */
  readonly shell: string;
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

/** Returns 64-bit integers that are an order's id after a careless conversion, and no order's. */
export async function mistakable({ api }: Trial, id: bigint): Promise<readonly Form[]> {
  const taken = new Set((await api.list()).map((order) => order.id));
  return [id + 2n ** 32n, id - 2n ** 32n, id + 2n ** 53n, id + 2n ** 62n, -id]
    .filter((other) => !taken.has(other) && BigInt.asIntN(64, other) === other)
    .map((other) => {
      const shell = other === -id ? `$((-${ORDER}))` : `$((${ORDER} + ${other - id}))`;
      return { text: `${other}`, shell };
    });
}

/** Returns texts that begin or end with an order's id, or are it modulo 2^64, and are none. */
export function malformed(id: bigint): readonly Form[] {
  const beyond = id + 2n ** 64n;
  const digits = `${beyond}`.slice(3);
  return [
    {
      text: `${beyond}`,
      shell: `${`${beyond}`.slice(0, 3)}$((${ORDER} + ${BigInt(digits) - id}))`,
    },
    { text: `${id - 2n ** 64n}`, shell: `${id - 2n ** 64n}` },
    ...[`${ORDER}x`, `x${ORDER}`, `${ORDER}%00`, `${ORDER}-1`, `${ORDER}%20x`, `${ORDER}abc`].map(
      (shell) => ({ text: shell.replace(ORDER, `${id}`), shell }),
    ),
  ];
}

/**
 * Returns other spellings of an order's number, which this service refuses. Those that a careless server
 * may take for 0 are left out if that is the id of an order.
 */
export async function respelled({ api }: Trial, id: bigint): Promise<readonly Form[]> {
  const isTaken = (await api.list()).some((order) => order.id === 0n);
  return [
    ...[`0${ORDER}`, `+${ORDER}`, `${ORDER}.0`, `${ORDER}e0`].map((shell) => formOf(id, shell)),
    ...[`%20${ORDER}`, `${ORDER}%20`, `00${ORDER}`].map((shell) => formOf(id, shell)),
    ...(isTaken ? [] : literals(id)),
    // As Java's `Long.parseLong` and Python's `int` read it: in Arabic digits.
    {
      text: `${id}`.replaceAll(/\d/g, '%D9%A$&'),
      shell: `$(echo ${ORDER} | sed 's/[0-9]/%D9%A&/g')`,
    },
  ];
}

/** Returns an order's number as JavaScript's `BigInt` reads it, in hexadecimal, and Python's `int`, with underscores. */
function literals(id: bigint): readonly Form[] {
  const hexadecimal = { text: `0x${id.toString(16)}`, shell: `$(printf 0x%x ${ORDER})` };
  return [hexadecimal, formOf(id, `0_${ORDER}`)];
}

function formOf(id: bigint, shell: string): Form {
  return { text: shell.replace(ORDER, `${id}`), shell };
}
