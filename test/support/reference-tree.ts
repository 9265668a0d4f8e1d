import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 9162, literally as defined in section 2.1: recursive, over the list of all
 * leaves. It shares no code with the implementation under test. D[a:b] is `d` from `a` to before
 * `b`. Hashes are memoized, so a list must not change after its first use.
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
 * Returns the sides of the siblings on the path from a leaf to the root. A root does not determine
 * the size of its tree: if two places have the same shape, a proof for one is valid for the other.
 * That is why sizes are signed together with roots.
 */
export function pathShape(m: number, n: number): string {
  if (n === 1) return '';
  const k = split(n);
  return m < k ? `${pathShape(m, k)}R` : `${pathShape(m - k, n - k)}L`;
}

/** Returns the same for a consistency proof, with its start: the older root, or a node. */
export function proofShape(m: number, n: number, known = true): string {
  if (m === n) return known ? 'root ' : 'node ';
  const k = split(n);
  return m <= k ? `${proofShape(m, k, known)}R` : `${proofShape(m - k, n - k, false)}L`;
}

/** Returns the largest power of two that is smaller than n. */
function split(n: number): number {
  return 2 ** Math.ceil(Math.log2(n) - 1);
}

function sha256(...parts: Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer');
}
