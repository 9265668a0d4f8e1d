/**
 * The log as a Merkle tree, as RFC 9162, section 2.1, defines it: SHA-256; the hashed bytes of a
 * leaf begin with 0x00 and those of a node with 0x01, so that neither can pass for the other; a
 * node whose right side is not full is never filled up with copies.
 *
 * The tree is not stored as a whole. A complete subtree never changes again, and its root is known
 * as soon as its last leaf is there; so the roots of the complete subtrees at the right edge
 * suffice to append, and the leaves with one node in 256 suffice to make any proof later.
 */

import { hash } from 'node:crypto';

/** The length of every hash. */
export const HASH_BYTES = 32;

/** Levels from one row of stored nodes to the next: see {@link Frontier.append}. */
export const TILE_HEIGHT = 8;

/** Returns the SHA-256 of bytes, or of a text in UTF-8: 32 bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  // Through a binary string, because a buffer that crypto allocates takes a microsecond and has
  // memory of its own, while this one comes from Node's pool: half the time.
  return Buffer.from(hash('sha256', data, 'binary'), 'binary');
}

/** The root of the tree without leaves. */
const EMPTY_ROOT = sha256('');

/** Returns the hash of a leaf. Its data is an event's record: see {@link recordOf}. */
export function leafHash(record: string): Buffer {
  // A string is hashed as UTF-8, in which the character 0 is the byte 0.
  return sha256(`\0${record}`);
}

/** Returns the hashes of leaves one after another, 32 bytes each. */
export function leafHashes(records: readonly string[]): Buffer {
  const hashes = Buffer.allocUnsafe(records.length * HASH_BYTES);
  for (const [index, record] of records.entries()) {
    hashes.write(hash('sha256', `\0${record}`, 'binary'), index * HASH_BYTES, 'binary');
  }
  return hashes;
}

// One buffer for all nodes, because nothing else runs while it is in use.
const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** Returns the hash of an inner node. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node.set(left, 1);
  node.set(right, 1 + HASH_BYTES);
  return sha256(node);
}

/**
 * Writes the hashes of the nodes above a row over its beginning.
 * @param row The hashes of `count` nodes one after another, 32 bytes each; `count` is even.
 */
export function replaceByParents(row: Buffer, count: number): void {
  for (let at = 0; at < (count / 2) * HASH_BYTES; at += HASH_BYTES) {
    row.copy(node, 1, 2 * at, 2 * (at + HASH_BYTES));
    row.write(hash('sha256', node, 'binary'), at, 'binary');
  }
}

/** A tree at one size: its number of leaves, and its root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Takes in a complete node: its height above the leaves, its place there from 0, its hash. */
type NodeListener = (height: number, index: number, hash: Buffer) => void;

/**
 * The right edge of a tree: the roots of the complete subtrees that make it up, one for each 1 in
 * the binary digits of its size, the largest and oldest first. It suffices to compute the tree's
 * root and to append; it has 8 bytes and at most 53 hashes.
 */
export class Frontier {
  #size = 0;
  readonly #roots: Buffer[] = [];

  /** The number of leaves. */
  get size(): number {
    return this.#size;
  }

  /** Returns the tree's root: a hash of all leaves and of their order. */
  root(): Buffer {
    const [last = EMPTY_ROOT, ...others] = this.#roots.toReversed();
    return others.reduce((right, left) => nodeHash(left, right), last);
  }

  /** Returns the tree's size and its root. */
  head(): TreeHead & { readonly root: Buffer } {
    return { size: this.#size, root: this.root() };
  }

  /**
   * Appends a leaf by its hash. Calls `store` with each node at height 8, 16, 24 … that it
   * completes: these, at most one every 255 leaves, are the nodes of a {@link TreeSource}. They are
   * the roots of "tiles", as in C2SP tlog-tiles.
   */
  append(leaf: Buffer, store: NodeListener = () => {}): void {
    checkHash(leaf);
    let top = leaf;
    let index = this.#size;
    // Each 1 at the end of the size is a complete subtree as high as the one completed so far.
    for (let height = 1; index % 2 === 1; height += 1) {
      top = nodeHash(this.#roots.pop() as Buffer, top);
      index = (index - 1) / 2;
      if (height % TILE_HEIGHT === 0) store(height, index, top);
    }
    this.#roots.push(top);
    this.#size += 1;
  }

  /** Returns it as bytes: the size as a 64-bit number, its high byte first, and then the roots. */
  pack(): Buffer {
    const size = Buffer.alloc(8);
    size.writeBigUInt64BE(BigInt(this.#size));
    return Buffer.concat([size, ...this.#roots]);
  }

  /** Reads the result of {@link pack}. Throws a RangeError for bytes that it cannot have made. */
  static unpack(packed: Uint8Array): Frontier {
    // A copy, so that the caller may change its bytes later.
    const bytes = Buffer.from(packed);
    if (!isPacked(bytes)) {
      throw new RangeError(`${bytes.length} bytes are not the right edge of a tree`);
    }
    const frontier = new Frontier();
    frontier.#size = sizeOf(bytes);
    for (let at = 8; at < bytes.length; at += HASH_BYTES) {
      frontier.#roots.push(bytes.subarray(at, at + HASH_BYTES));
    }
    return frontier;
  }
}

/** Returns true for bytes that {@link Frontier.pack} can have returned. */
export function isPacked(bytes: Buffer): boolean {
  if (bytes.length < 8) return false;
  const size = sizeOf(bytes);
  return Number.isSafeInteger(size) && bytes.length === 8 + HASH_BYTES * ones(size);
}

/** Returns the size of a tree from its packed right edge. */
export function sizeOf(packed: Buffer): number {
  return Number(packed.readBigUInt64BE());
}

/**
 * Returns true if a tree whose packed right edge is `known` has the packed right edge `edge` once it
 * has grown by some leaves.
 */
export function leadsTo(known: Buffer, edge: Buffer, leaves: Iterable<Uint8Array>): boolean {
  const frontier = Frontier.unpack(known);
  for (const leaf of leaves) frontier.append(Buffer.from(leaf));
  return frontier.pack().equals(edge);
}

/** Throws a RangeError for bytes whose length is not that of a hash. */
export function checkHash(bytes: Uint8Array): void {
  if (bytes.length !== HASH_BYTES) {
    throw new RangeError(`a hash has ${HASH_BYTES} bytes, not ${bytes.length}`);
  }
}

/** Counts the binary digits that are 1. Bit operators would drop all but the last 32. */
function ones(size: number): number {
  let count = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}
