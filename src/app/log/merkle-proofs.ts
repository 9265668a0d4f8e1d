/**
 * Proofs about a Merkle tree, as RFC 9162, sections 2.1.3 and 2.1.4, define them, for any size that
 * the log's tree ever had. A node that is not stored is computed from its nearest stored
 * descendants. No proof needs more than two tiles of each level: six reads for a log of up to 16
 * million events.
 */

import {
  checkHash,
  Frontier,
  HASH_BYTES,
  nodeHash,
  replaceByParents,
  TILE_HEIGHT,
} from './merkle-tree.ts';

type Hashes = readonly Uint8Array[];

/**
 * The stored hashes of a tree: of all leaves, and of the nodes at every eighth level. They must
 * reach at least the size that a proof is made for. A stored hash never changes, so that reads need
 * no transaction around them.
 */
export interface TreeSource {
  /** Returns the hashes of `count` leaves, at most 256, from place `from` on; the first is 0. */
  leaves(from: number, count: number): Hashes | Promise<Hashes>;

  /**
   * Returns the hashes of `count` nodes, at most 256, of one height (8, 16, 24 …), from the place
   * `from` on: those that {@link Frontier.append} passed to its listener.
   */
  nodes(height: number, from: number, count: number): Hashes | Promise<Hashes>;
}

/** Returns the root of the tree as it was when it had `size` leaves. */
export async function treeRoot(size: number, source: TreeSource): Promise<Uint8Array> {
  checkRange(0, size, 'the size');
  return size === 0 ? new Frontier().root() : new PartialTree(size, source).rootOf(0, size);
}

/**
 * Returns the proof that the leaf at `index`, from 0, is part of the tree of `size` leaves: the
 * sibling of each node on the path from it to the root, the leaf's own sibling first. Throws a
 * RangeError unless 0 ≤ index < size.
 */
export async function inclusionProof(
  index: number,
  size: number,
  source: TreeSource,
): Promise<Uint8Array[]> {
  checkRange(1, size, 'the size');
  checkRange(0, index, 'the index', size - 1);
  const tree = new PartialTree(size, source);
  const { beside } = await tree.descendTo(index, (start, end) => end - start === 1);
  return beside.reverse();
}

/**
 * Returns the proof that the tree of `to` leaves begins with that of `from` leaves. It is empty
 * where there is nothing to prove: from size 0, or between equal sizes. Throws a RangeError unless
 * 0 ≤ from ≤ to.
 */
export async function consistencyProof(
  from: number,
  to: number,
  source: TreeSource,
): Promise<Uint8Array[]> {
  checkRange(0, to, 'the newer size');
  checkRange(0, from, 'the older size', to);
  if (from === 0) return [];
  const tree = new PartialTree(to, source);
  // Down to the last complete subtree of the older tree: the one that ends at its last leaf.
  const { beside, start } = await tree.descendTo(from - 1, (_start, end) => end === from);
  // If that is the whole older tree, the verifier has its root already.
  if (start !== 0) beside.push(await tree.rootOf(start, from));
  return beside.reverse();
}

/** A tile of a tree, and the root of that tree as computed from the hashes of this tile. */
export interface RootedTile {
  readonly hashes: Hashes;
  readonly root: Uint8Array;
}

/**
 * Returns a tile of the tree of `size` leaves, as far as that tree fills it. If the root is that of
 * the tree, then all of the hashes are, too. Throws a RangeError for a tile that it does not have.
 * @param level 0 for leaves, and L for the nodes at height 8 × L.
 */
export async function rootedTile(
  level: number,
  index: number,
  size: number,
  source: TreeSource,
): Promise<RootedTile> {
  checkRange(0, level, 'the level', 6);
  const start = index * TILE_HASHES ** (level + 1);
  checkRange(0, start, 'the start of the tile', size - TILE_HASHES ** level);
  return new PartialTree(size, source).rootThrough(level, index);
}

/** Hashes in a full tile: 2^8. */
export const TILE_HASHES = 2 ** TILE_HEIGHT;

/** A tree of one size, with the tiles that one proof has read so far. */
class PartialTree {
  readonly #size: number;
  readonly #source: TreeSource;
  readonly #tiles = new Map<string, Hashes>();

  constructor(size: number, source: TreeSource) {
    this.#size = size;
    this.#source = source;
  }

  /**
   * Descends from the root towards a leaf, to the first subtree for which `isDone` holds. Returns
   * the start of that subtree, and the roots of the subtrees beside the path, the highest first.
   */
  async descendTo(index: number, isDone: (start: number, end: number) => boolean) {
    const beside: Uint8Array[] = [];
    let start = 0;
    let end = this.#size;
    while (!isDone(start, end)) {
      const middle = start + leftSide(end - start);
      if (index < middle) {
        beside.push(await this.rootOf(middle, end));
        end = middle;
      } else {
        beside.push(await this.rootOf(start, middle));
        start = middle;
      }
    }
    return { beside, start };
  }

  /** Returns a tile, and the root as computed from it and from the subtrees beside it. */
  async rootThrough(level: number, index: number): Promise<RootedTile> {
    const hashes = await this.#tile(level, index);
    const leaves = TILE_HASHES ** (level + 1);
    const isFull = hashes.length === TILE_HASHES;
    const end = isFull ? (index + 1) * leaves : this.#size;
    // At the right edge, what follows the tile's last hash is below it, in tiles of lower levels.
    const own = isFull ? rootAbove(hashes) : await this.rootOf(index * leaves, end);
    const above = async (from: number, to: number): Promise<Uint8Array> => {
      if (from === index * leaves && to === end) return own;
      const middle = from + leftSide(to - from);
      return index * leaves < middle
        ? nodeHash(await above(from, middle), await this.rootOf(middle, to))
        : nodeHash(await this.rootOf(from, middle), await above(middle, to));
    };
    return { hashes, root: await above(0, this.#size) };
  }

  /** Returns the root of the subtree of the leaves from `start` to before `end`. */
  async rootOf(start: number, end: number): Promise<Uint8Array> {
    const count = end - start;
    const left = leftSide(count);
    if (left * 2 === count || count === 1) return this.#complete(Math.log2(count), start / count);
    const middle = start + left;
    return nodeHash(await this.rootOf(start, middle), await this.rootOf(middle, end));
  }

  /** Computes the root of a complete subtree from its stored descendants. */
  async #complete(height: number, index: number): Promise<Uint8Array> {
    const level = Math.floor(height / TILE_HEIGHT);
    const width = 2 ** (height % TILE_HEIGHT);
    const first = index * width;
    const tile = await this.#tile(level, Math.floor(first / TILE_HASHES));
    const from = first % TILE_HASHES;
    return rootAbove(tile.slice(from, from + width));
  }

  /** Returns the hashes of a tile: 256 of them, or, at the right edge, those that are complete. */
  async #tile(level: number, index: number): Promise<Hashes> {
    const key = `${level} ${index}`;
    const known = this.#tiles.get(key);
    if (known !== undefined) return known;
    const from = index * TILE_HASHES;
    const complete = Math.floor(this.#size / TILE_HASHES ** level);
    const count = Math.min(TILE_HASHES, complete - from);
    const hashes = await (level === 0
      ? this.#source.leaves(from, count)
      : this.#source.nodes(level * TILE_HEIGHT, from, count));
    if (hashes.length !== count) {
      const height = level * TILE_HEIGHT;
      throw new RangeError(`${count} hashes are due at height ${height} from ${from} on, and \
${hashes.length} are there`);
    }
    hashes.forEach(checkHash);
    this.#tiles.set(key, hashes);
    return hashes;
  }
}

/** Returns the leaves of a left subtree: the largest power of two below `count`, at least 1. */
function leftSide(count: number): number {
  let left = 1;
  while (left * 2 < count) left *= 2;
  return left;
}

/** Returns the root above a row of 2^n nodes. */
export function rootAbove(row: Hashes): Buffer {
  const hashes = Buffer.concat(row);
  for (let count = row.length; count > 1; count /= 2) replaceByParents(hashes, count);
  return Buffer.from(hashes.subarray(0, HASH_BYTES));
}

function checkRange(min: number, value: number, name: string, max = Number.MAX_SAFE_INTEGER) {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
  }
}
