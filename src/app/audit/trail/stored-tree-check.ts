import { Frontier, HASH_BYTES, leafHash } from '../../log/merkle-tree.ts';
import type { StoredTree } from '../../ports/evidence.ts';
import type { CheckedTree, Finding } from '../proofs/trail-check.ts';

const SIZE_BYTES = 8;

/**
 * Builds a log's tree anew and compares the stored nodes with it, which locates a change to within
 * 256 events.
 */
export class StoredTreeCheck implements CheckedTree {
  readonly #stored: StoredTree;
  readonly #frontier = new Frontier();
  #nodes = 0;
  /** The first node that differs; the nodes above it differ with it. */
  #first: Finding | undefined;

  constructor(stored: StoredTree) {
    this.#stored = stored;
  }

  append(record: string): void {
    this.#frontier.append(leafHash(record), this.#compare);
  }

  root(): Uint8Array {
    return this.#frontier.root();
  }

  findings(): readonly Finding[] {
    return this.#first === undefined ? [] : [this.#first];
  }

  end(size: number): readonly Finding[] {
    const problem = this.#problemOfEdge(size);
    if (problem !== undefined) return [problem];
    // Missing nodes were found on the way.
    const more = this.#stored.nodes - this.#nodes;
    return more > 0 ? [{ problem: `the tree has ${more} nodes that belong to no event` }] : [];
  }

  readonly #compare = (height: number, place: number, hash: Buffer): void => {
    this.#nodes += 1;
    const stored = this.#stored.nodeAt(height, place);
    if (stored !== undefined && hash.equals(stored)) return;
    const what = `the tree's node at height ${height}, place ${place}`;
    this.#first ??= {
      from: place * 2 ** height + 1,
      to: (place + 1) * 2 ** height,
      problem:
        stored === undefined ? `${what}, is missing` : `${what}, was computed over other events`,
    };
  };

  #problemOfEdge(size: number): Finding | undefined {
    const stored = Buffer.from(this.#stored.edge);
    const own = this.#frontier.pack();
    if (stored.equals(own)) return undefined;
    // NaN fails both comparisons.
    const storedSize = stored.length < SIZE_BYTES ? NaN : Number(stored.readBigUInt64BE());
    if (storedSize > size) {
      const problem = `the log ends at position ${size}, and its tree has ${storedSize} events`;
      return { from: size + 1, to: storedSize, problem };
    }
    if (storedSize < size) {
      return { from: storedSize + 1, to: size, problem: 'the tree of the log lacks these events' };
    }
    if (stored.length !== own.length) return { problem: "the tree's right edge is damaged" };
    return this.#firstOtherRoot(stored, own, size);
  }

  /**
   * Locates the difference: the edge has a root for each 1 in the binary digits of the size, the
   * oldest first.
   */
  #firstOtherRoot(stored: Buffer, own: Buffer, size: number): Finding {
    let from = 0;
    let width = 2 ** Math.floor(Math.log2(size));
    let at = SIZE_BYTES;
    for (let rest = size; ; width /= 2) {
      if (rest < width) continue;
      if (!own.subarray(at, at + HASH_BYTES).equals(stored.subarray(at, at + HASH_BYTES))) {
        const problem = 'the tree was computed over other events';
        return { from: from + 1, to: from + width, problem };
      }
      from += width;
      rest -= width;
      at += HASH_BYTES;
    }
  }
}
