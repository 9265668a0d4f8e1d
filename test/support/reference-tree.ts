import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 9162 as its section 2.1 writes it down: recursive, over the list of all
 * leaves, as plain as it is there. It shares no code with what it is compared with. D[a:b] is `d`
 * from `a` to before `b`; a list must not change once its hashes have been asked for, because they
 * are remembered.
 */
type Leaves = readonly string[];

const remembered = new WeakMap<Leaves, Map<string, Buffer>>();

/** MTH(D[a:b]), section 2.1.1. */
export function mth(d: Leaves, a = 0, b = d.length): Buffer {
  const hashes = remembered.get(d) ?? new Map<string, Buffer>();
  remembered.set(d, hashes);
  const hash = hashes.get(`${a}:${b}`) ?? hashOf(d, a, b);
  hashes.set(`${a}:${b}`, hash);
  return hash;
}

function hashOf(d: Leaves, a: number, b: number): Buffer {
  if (a === b) return sha256();
  if (b - a === 1) return sha256(Buffer.of(0), Buffer.from(d[a] as string));
  const k = a + split(b - a);
  return sha256(Buffer.of(1), mth(d, a, k), mth(d, k, b));
}

/** PATH(m, D[a:b]), section 2.1.3.1; m counts from a. */
export function path(m: number, d: Leaves, b = d.length, a = 0): Buffer[] {
  if (b - a === 1) return [];
  const k = split(b - a);
  return m < k
    ? [...path(m, d, a + k, a), mth(d, a + k, b)]
    : [...path(m - k, d, b, a + k), mth(d, a, a + k)];
}

/** PROOF(m, D[0:b]), section 2.1.4.1. */
export function proof(m: number, d: Leaves, b = d.length): Buffer[] {
  return subproof(m, d, 0, b, true);
}

function subproof(m: number, d: Leaves, a: number, b: number, known: boolean): Buffer[] {
  if (m === b - a) return known ? [] : [mth(d, a, b)];
  const k = split(b - a);
  return m <= k
    ? [...subproof(m, d, a, a + k, known), mth(d, a + k, b)]
    : [...subproof(m - k, d, a + k, b, false), mth(d, a, a + k)];
}

/**
 * On which side the other node is, from the leaf to the root. A root says nothing of its tree's
 * size, so where two places have one shape, a proof for one is a proof for the other: that is why
 * sizes are signed together with roots.
 */
export function pathShape(m: number, n: number): string {
  if (n === 1) return '';
  const k = split(n);
  return m < k ? `${pathShape(m, k)}R` : `${pathShape(m - k, n - k)}L`;
}

/** The same for a consistency proof, with where it begins: at the older root, or at a node. */
export function proofShape(m: number, n: number, known = true): string {
  if (m === n) return known ? 'root ' : 'node ';
  const k = split(n);
  return m <= k ? `${proofShape(m, k, known)}R` : `${proofShape(m - k, n - k, false)}L`;
}

/** The largest power of two that is smaller than n. */
function split(n: number): number {
  return 2 ** Math.ceil(Math.log2(n) - 1);
}

function sha256(...parts: Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer');
}
