/** A trail that checks events against the tree before it returns them. */

import {
  type RootedTile,
  rootAbove,
  rootedTile,
  TILE_HASHES,
  type TreeSource,
} from '../../log/merkle-proofs.ts';
import { HASH_BYTES, leafHashes, TILE_HEIGHT, type TreeHead } from '../../log/merkle-tree.ts';
import { recordOf, type StoredFields } from '../../log/recorded-event.ts';
import { hashesIn } from '../../log/tiles.ts';
import { DamagedStore } from '../../ports/store.ts';
import type { Trail } from '../../ports/trail.ts';

type Hashes = readonly Uint8Array[];

/** The most cached tiles of leaves, and of hashes for proofs, of 8 KiB each. */
const MAX_TILES = 64;

/**
 * Checks each event before it is returned. An event is compared with the leaves of its tile: those
 * of 256 neighbouring events. When a tile is first read, the root of the tree is computed through it
 * and compared. A proved tile is cached, because nothing in it can change.
 */
export class CheckedTrail implements Trail {
  readonly #trail: Trail;
  /**
   * The proved leaves by the number of their tile, one after another in the order of their proofs.
   */
  readonly #tiles = new Map<number, Buffer>();
  /** Hashes that many proofs need, by height and place: nodes, and the leaves of the last tile. */
  readonly #shared = new Map<string, Hashes>();

  constructor(trail: Trail) {
    this.#trail = trail;
  }

  /**
   * See {@link Trail.stored}. Throws {@link DamagedStore} for an event that differs from what was
   * recorded.
   */
  async stored(after: number, limit: number): Promise<readonly StoredFields[]> {
    const events = await this.#trail.stored(after, limit);
    const own = leafHashes(events.map(recordOf));
    let tile: { readonly number: number; readonly leaves: Buffer } | undefined;
    for (const [index, event] of events.entries()) {
      const number = Math.floor((event.position - 1) / TILE_HASHES);
      const at = index * HASH_BYTES;
      if (tile?.number !== number)
        tile = { number, leaves: await this.#leavesAround(event, own.subarray(at)) };
      const place = ((event.position - 1) % TILE_HASHES) * HASH_BYTES;
      const leaf = tile.leaves.subarray(place, place + HASH_BYTES);
      if (own.compare(leaf, 0, HASH_BYTES, at, at + HASH_BYTES) !== 0)
        throw damaged(event.position);
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

  /** See {@link TreeSource.leaves}. They are not checked here, but see {@link nodes}. */
  async leaves(from: number, count: number): Promise<Hashes> {
    const read = () => this.#trail.leaves(from, count);
    // All proofs need the last tile, which is not full; of the others, each needs its own.
    return count < TILE_HASHES ? this.#once(`0 ${from}`, count, read) : read();
  }

  /**
   * See {@link TreeSource.nodes}. Nodes are not checked here, but whatever is computed from them is
   * compared with the root. Each is read once, because it never changes.
   */
  nodes(height: number, from: number, count: number): Promise<Hashes> {
    return this.#once(`${height} ${from}`, count, () => this.#trail.nodes(height, from, count));
  }

  async #once(key: string, count: number, read: () => Hashes | Promise<Hashes>): Promise<Hashes> {
    const known = this.#shared.get(key);
    if (known !== undefined && known.length >= count) return known.slice(0, count);
    const hashes = await read();
    // If some are missing now, they are looked for again.
    if (hashes.length === count) keep(this.#shared, key, hashes);
    return hashes;
  }

  /**
   * Returns the proved leaves of an event's tile; of the last tile, those that existed when it was
   * read.
   * @param own The leaves of the event and of those that were read behind it. If they are all of the
   *   tile, nothing else has to be read.
   */
  async #leavesAround({ position }: StoredFields, own: Buffer): Promise<Buffer> {
    const number = Math.floor((position - 1) / TILE_HASHES);
    const known = this.#tiles.get(number);
    // The last tile may have grown since it was read.
    if (known?.length === TILE_HASHES * HASH_BYTES) return known;
    const head = await this.#trail.treeHead();
    const from = number * TILE_HASHES;
    const bytes = Math.min(TILE_HASHES, head.size - from) * HASH_BYTES;
    if (known?.length === bytes) return known;
    const isWhole = position - 1 === from && own.length >= bytes;
    const source: TreeSource = {
      leaves: (at, count) =>
        isWhole && at === from
          ? (hashesIn(own.subarray(0, bytes)) as Buffer[])
          : this.leaves(at, count),
      nodes: (height, at, count) => this.nodes(height, at, count),
    };
    const tile = await orDamaged(() => rootedTile(0, number, head.size, source));
    if (Buffer.compare(tile.root, head.root) !== 0) throw await this.#damageAround(number, tile);
    // In memory of their own, because a small part of Node's pool would keep all of it.
    const leaves = Buffer.allocUnsafeSlow(bytes);
    for (const [index, hash] of tile.hashes.entries()) leaves.set(hash, index * HASH_BYTES);
    keep(this.#tiles, number, leaves);
    return leaves;
  }

  /**
   * Returns the error for a tile through which the tree has another root than its head. The fault is
   * elsewhere if a full tile has the hash that the tree has of it.
   */
  async #damageAround(number: number, { hashes }: RootedTile): Promise<DamagedStore> {
    const from = number * TILE_HASHES;
    const isFull = hashes.length === TILE_HASHES;
    const [node] = isFull ? await this.#trail.nodes(TILE_HEIGHT, number, 1) : [];
    if (node !== undefined && rootAbove(hashes).equals(node)) {
      return new DamagedStore('the tree of the log is not what was recorded');
    }
    return damaged(from + 1, from + hashes.length);
  }
}

/** Adds a tile to a cache, which drops the oldest if there are too many. */
function keep<Key, Tile>(tiles: Map<Key, Tile>, key: Key, tile: Tile): void {
  tiles.delete(key);
  const [oldest] = tiles.keys();
  if (tiles.size >= MAX_TILES) tiles.delete(oldest as Key);
  tiles.set(key, tile);
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
