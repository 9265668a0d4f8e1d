/**
 * Follows the tree of a published log from one size to another by its tiles: every new leaf, and
 * every node above that is complete. Memory holds the right edge and some tiles, however many
 * leaves are new.
 */

import { consistencyProof, TILE_HASHES, treeRoot } from '../../log/merkle-proofs.ts';
import { type Frontier, TILE_HEIGHT, type TreeHead } from '../../log/merkle-tree.ts';
import { pathOf } from '../../log/tiles.ts';
import type { Rows } from '../../ports/published-log.ts';
import { verifyConsistency } from '../proofs/verifier.ts';
import type { PublishedTree } from './published-tree.ts';
import { readAhead } from './read-ahead.ts';

/**
 * Appends the leaves that a tree has beyond `edge` to it, and to the known ones. Returns the first
 * tile that disagrees with the leaves, in words. The root has still to be compared.
 */
export async function followTree(
  tree: PublishedTree,
  edge: Frontier,
  known: Rows,
): Promise<string | undefined> {
  const above = new NodesAbove(tree);
  let problem: string | undefined;
  const [from, to] = [edge.size / TILE_HASHES, tree.size / TILE_HASHES];
  const tiles = readAhead(Math.floor(from), Math.ceil(to), (index) => tree.hashes(0, index));
  for await (const [index, hashes] of tiles) {
    const first = index * TILE_HASHES;
    const count = edge.size - first;
    if (!known.read(first, count).equals(Buffer.concat(hashes.slice(0, count)))) {
      problem ??= changed(0, index);
    }
    const added = hashes.slice(count);
    known.write(edge.size, Buffer.concat(added));
    for (const leaf of added) {
      edge.append(leaf, (height, at, hash) => above.note(height / TILE_HEIGHT, at, hash));
    }
    const found = await above.compare((row) => row.end % TILE_HASHES === 0);
    problem ??= found;
  }
  const found = await above.compare(() => true);
  return problem ?? found;
}

/**
 * Returns the root that a signed tree had at an earlier size from 1, according to its tiles;
 * `undefined` if these do not lead to the signed root.
 */
export async function earlierRoot(
  tree: PublishedTree,
  head: TreeHead,
  size: number,
): Promise<Uint8Array | undefined> {
  const proof = await consistencyProof(size, head.size, tree);
  const root = await treeRoot(size, tree);
  return verifyConsistency({ size, root }, head, proof).ok ? root : undefined;
}

/** Consecutive nodes of one level, within one tile. */
interface Row {
  readonly level: number;
  readonly first: number;
  end: number;
  readonly hashes: Buffer[];
}

/** The nodes that were completed since their tiles were last compared. */
class NodesAbove {
  readonly #tree: PublishedTree;
  #rows: Row[] = [];

  constructor(tree: PublishedTree) {
    this.#tree = tree;
  }

  note(level: number, at: number, hash: Buffer): void {
    const row = this.#rows.find((each) => each.level === level);
    if (row === undefined) {
      this.#rows.push({ level, first: at, end: at + 1, hashes: [hash] });
    } else {
      row.end = at + 1;
      row.hashes.push(hash);
    }
  }

  /** Compares the rows that are due with their tiles. Returns the first that differs, in words. */
  async compare(isDue: (row: Row) => boolean): Promise<string | undefined> {
    const due = this.#rows.filter(isDue);
    this.#rows = this.#rows.filter((row) => !due.includes(row));
    let problem: string | undefined;
    for (const { level, first, hashes } of due) {
      const index = Math.floor(first / TILE_HASHES);
      const at = first % TILE_HASHES;
      const tile = await this.#tree.hashes(level, index);
      const isSame = Buffer.concat(tile.slice(at, at + hashes.length)).equals(
        Buffer.concat(hashes),
      );
      if (!isSame) problem ??= changed(level, index);
    }
    return problem;
  }
}

function changed(level: number, index: number): string {
  return `tile/${pathOf({ level, index, width: TILE_HASHES })} has other hashes than its leaves lead to`;
}
