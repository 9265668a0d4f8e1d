/**
 * Builds all tiles of a tree from its leaves, in order from the first: C2SP tlog-tiles. Of each
 * level only the tile at the right edge is in memory.
 */

import { TILE_HASHES } from '../../log/merkle-proofs.ts';
import { Frontier, TILE_HEIGHT } from '../../log/merkle-tree.ts';
import type { TilePlace } from '../../log/tiles.ts';

/** A tile of hashes: its place, and its bytes. */
export interface BuiltTile {
  readonly place: TilePlace;
  readonly bytes: Buffer;
}

export class TileBuilder {
  readonly #frontier = new Frontier();
  /** The hashes behind the last full tile of each level. */
  readonly #edges: Buffer[][] = [[]];
  #full: BuiltTile[] = [];

  /** The number of leaves. */
  get size(): number {
    return this.#frontier.size;
  }

  root(): Buffer {
    return this.#frontier.root();
  }

  add(leaf: Buffer): void {
    const index = this.size;
    this.#frontier.append(leaf, (height, at, hash) => this.#note(height / TILE_HEIGHT, at, hash));
    this.#note(0, index, leaf);
  }

  /** Returns the tiles that were filled since the last call. */
  take(): readonly BuiltTile[] {
    const full = this.#full;
    this.#full = [];
    return full;
  }

  /** Returns the partial tiles at the right edge: none is empty. */
  edge(): readonly BuiltTile[] {
    return this.#edges.flatMap((hashes, level) => {
      if (hashes.length === 0) return [];
      const index = Math.floor(this.size / TILE_HASHES ** (level + 1));
      return [{ place: { level, index, width: hashes.length }, bytes: Buffer.concat(hashes) }];
    });
  }

  #note(level: number, at: number, hash: Buffer): void {
    this.#edges[level] ??= [];
    const hashes = this.#edges[level];
    hashes.push(hash);
    if (hashes.length < TILE_HASHES) return;
    const place = { level, index: Math.floor(at / TILE_HASHES), width: TILE_HASHES };
    this.#full.push({ place, bytes: Buffer.concat(hashes) });
    this.#edges[level] = [];
  }
}
