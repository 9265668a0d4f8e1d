/** A trail that checks events against the tree before it returns them. */

import { inclusionProof, type TreeSource } from '../log/merkle-proofs.ts';
import { leafHash, TILE_HEIGHT, type TreeHead } from '../log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../log/recorded-event.ts';
import { DamagedStore } from '../ports/store.ts';
import type { Trail } from '../ports/trail.ts';
import { verifyInclusion } from './verifier.ts';

type Hashes = readonly Uint8Array[];

const TILE_EVENTS = 2 ** TILE_HEIGHT;

/** The most cached tiles of leaves, and of the nodes above them, of 8 KiB each. */
const MAX_TILES = 64;

/**
 * Checks each event before it is returned. An event is compared with the leaves of its tile: those
 * of 256 neighbouring events. When a tile is first read, the inclusion proof of one leaf, which is
 * made of all the others, is checked against the root of the tree. A proved tile is cached, because
 * nothing in it can change.
 */
export class CheckedTrail implements Trail {
  readonly #trail: Trail;
  /** The proved leaves by the number of their tile, in the order of their proofs. */
  readonly #tiles = new Map<number, Hashes>();
  /** The nodes of tiles above the leaves, by height and place: every proof needs some. */
  readonly #nodes = new Map<string, Hashes>();

  constructor(trail: Trail) {
    this.#trail = trail;
  }

  /**
   * See {@link Trail.stored}. Throws {@link DamagedStore} for an event that differs from what was
   * recorded.
   */
  async stored(after: number, limit: number): Promise<readonly StoredFields[]> {
    const events = await this.#trail.stored(after, limit);
    const own = events.map((event) => leafHash(recordOf(event)));
    let tile: { readonly number: number; readonly leaves: Hashes } | undefined;
    for (const [at, event] of events.entries()) {
      const index = event.position - 1;
      const number = Math.floor(index / TILE_EVENTS);
      if (tile?.number !== number)
        tile = { number, leaves: await this.#leavesAround(event, number, own.slice(at)) };
      const leaf = tile.leaves[index % TILE_EVENTS];
      if (leaf === undefined || !own[at]?.equals(leaf)) throw damaged(event.position);
    }
    return events;
  }

  /** See {@link Trail.traces}. The tree does not cover them, so they cannot be checked. */
  traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return this.#trail.traces(positions);
  }

  treeHead(): Promise<TreeHead> {
    return this.#trail.treeHead();
  }

  leaves(from: number, count: number): ReturnType<TreeSource['leaves']> {
    return this.#trail.leaves(from, count);
  }

  /**
   * See {@link TreeSource.nodes}. Nodes are not checked here, but whatever is computed from them is
   * compared with the root. Each is read once, because it never changes.
   */
  async nodes(height: number, from: number, count: number): Promise<Hashes> {
    const key = `${height} ${from}`;
    const known = this.#nodes.get(key);
    if (known !== undefined && known.length >= count) return known.slice(0, count);
    const nodes = await this.#trail.nodes(height, from, count);
    // If some are missing now, they are looked for again.
    if (nodes.length === count) keep(this.#nodes, key, nodes);
    return nodes;
  }

  /**
   * Returns the proved leaves of a tile; of the last tile, those that existed when it was read.
   * @param own The leaves of the event and of those that were read behind it. If they are all of the
   *   tile, nothing else has to be read.
   */
  async #leavesAround(event: StoredFields, number: number, own: Hashes): Promise<Hashes> {
    const known = this.#tiles.get(number);
    const from = number * TILE_EVENTS;
    // The last tile may have grown since it was read.
    if (known !== undefined && known.length === TILE_EVENTS) return known;
    const head = await this.#trail.treeHead();
    const count = Math.min(TILE_EVENTS, head.size - from);
    if (known?.length === count) return known;
    const index = event.position - 1;
    const isWhole = index === from && own.length >= count;
    const leaves = isWhole ? own.slice(0, count) : await this.#trail.leaves(from, count);
    const source: TreeSource = {
      leaves: (at, some) => (at === from && some === count ? leaves : this.leaves(at, some)),
      nodes: (height, at, some) => this.nodes(height, at, some),
    };
    const proof = await orDamaged(() => inclusionProof(index, head.size, source));
    if (!verifyInclusion(recordOf(event), index, head, proof).ok)
      throw damaged(from + 1, from + count);
    keep(this.#tiles, number, leaves);
    return leaves;
  }
}

/** Adds a tile to a cache, which drops the oldest if there are too many. */
function keep<Key>(tiles: Map<Key, Hashes>, key: Key, hashes: Hashes): void {
  tiles.delete(key);
  const [oldest] = tiles.keys();
  if (tiles.size >= MAX_TILES) tiles.delete(oldest as Key);
  tiles.set(key, hashes);
}

/** Returns a proof. Throws {@link DamagedStore} if nodes of the stored tree are missing. */
export async function orDamaged<Proof>(prove: () => Promise<Proof>): Promise<Proof> {
  try {
    return await prove();
  } catch (error) {
    if (error instanceof RangeError)
      throw new DamagedStore(`the tree of the log: ${error.message}`);
    throw error;
  }
}

function damaged(from: number, to = from): DamagedStore {
  const which = from === to ? `the event at position ${from} is` : `events ${from} to ${to} are`;
  return new DamagedStore(`${which} not what was recorded`);
}
