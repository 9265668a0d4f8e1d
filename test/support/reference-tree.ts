import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 9162 as its section 2.1 writes it down: recursive, over the list of all
 * leaves, as slow as it is plain. It shares no code with what it is compared with. D[0:n] is `d`.
 */
type Leaves = readonly string[];

/** MTH(D[n]), section 2.1.1. */
export function mth(d: Leaves): Buffer {
  if (d.length === 0) return sha256();
  if (d.length === 1) return sha256(Buffer.of(0), Buffer.from(d[0] as string));
  const k = split(d.length);
  return sha256(Buffer.of(1), mth(d.slice(0, k)), mth(d.slice(k)));
}

/** PATH(m, D[n]), section 2.1.3.1. */
export function path(m: number, d: Leaves): Buffer[] {
  if (d.length === 1) return [];
  const k = split(d.length);
  return m < k
    ? [...path(m, d.slice(0, k)), mth(d.slice(k))]
    : [...path(m - k, d.slice(k)), mth(d.slice(0, k))];
}

/** PROOF(m, D[n]), section 2.1.4.1. */
export function proof(m: number, d: Leaves): Buffer[] {
  return subproof(m, d, true);
}

function subproof(m: number, d: Leaves, known: boolean): Buffer[] {
  if (m === d.length) return known ? [] : [mth(d)];
  const k = split(d.length);
  return m <= k
    ? [...subproof(m, d.slice(0, k), known), mth(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), mth(d.slice(0, k))];
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
