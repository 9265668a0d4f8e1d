/** The comparison of a published tree's leaves with those that a monitor knows. Stores nothing. */

import { Frontier, HASH_BYTES, type TreeHead } from '../../log/merkle-tree.ts';
import type { Rows } from '../../ports/published-log.ts';

const CHUNK_LEAVES = 65_536;

export class Comparison implements Rows {
  readonly #known: Rows;
  readonly #head: TreeHead;
  readonly #edge = new Frontier();
  #same = 0;

  /**
   * @param known The known leaves.
   * @param head The signed head that they lead to, unless they were lost.
   */
  constructor(known: Rows, head: TreeHead) {
    this.#known = known;
    this.#head = head;
  }

  /**
   * Ends the comparison, after the last write. Returns the number of leaves that both begin with;
   * `undefined` if the known ones are not those of their head.
   */
  end(): number | undefined {
    if (this.#known.count < this.#head.size) return undefined;
    this.#append(this.#edge.size, this.#head.size - this.#edge.size);
    return Buffer.compare(this.#edge.root(), this.#head.root) === 0 ? this.#same : undefined;
  }

  /** The number of leaves that were written. */
  count = 0;

  /** Nothing is read back of a tree that is followed from its first leaf. */
  read(): Buffer {
    return Buffer.alloc(0);
  }

  write(at: number, rows: Buffer): void {
    this.count = at + rows.length / HASH_BYTES;
    const { size } = this.#head;
    const shared = Math.min(this.count, size, this.#known.count) - at;
    if (shared <= 0) return;
    const known = this.#append(at, shared);
    if (this.#same < at) return;
    const place = firstDifference(known, rows);
    this.#same = at + Math.min(shared, Math.floor(place / HASH_BYTES));
  }

  /** Reads known leaves, and adds them to their tree. */
  #append(from: number, count: number): Buffer {
    const known = this.#known.read(from, count);
    for (let at = 0; at < known.length; at += HASH_BYTES) {
      this.#edge.append(known.subarray(at, at + HASH_BYTES));
    }
    return known;
  }
}

/** Returns the roots of the tree over known leaves at some sizes, each at the place of its size. */
export function rootsAt<const Sizes extends readonly number[]>(
  sizes: Sizes,
  leaves: Rows,
): { readonly [Place in keyof Sizes]: Buffer } {
  const edge = new Frontier();
  const roots = new Map([[0, edge.root()]]);
  const due = new Set(sizes);
  const last = Math.max(0, ...sizes);
  for (let from = 0; from < last; from += CHUNK_LEAVES) {
    const hashes = leaves.read(from, Math.min(CHUNK_LEAVES, last - from));
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      edge.append(hashes.subarray(at, at + HASH_BYTES));
      if (due.has(edge.size)) roots.set(edge.size, edge.root());
    }
  }
  return sizes.map((size) => roots.get(size)) as { [Place in keyof Sizes]: Buffer };
}

/** Returns the first place at which two buffers differ; the length of the first if none does. */
function firstDifference(one: Buffer, other: Buffer): number {
  const at = one.findIndex((byte, place) => byte !== other[place]);
  return at === -1 ? one.length : at;
}
