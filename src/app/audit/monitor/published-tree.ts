/** The tree of a published log, read from its tiles. */

import { TILE_HASHES, type TreeSource } from '../../log/merkle-proofs.ts';
import { HASH_BYTES, TILE_HEIGHT } from '../../log/merkle-tree.ts';
import { MAX_RECORD_BYTES } from '../../log/recorded-event.ts';
import { hashesIn, pathOf, recordsIn, type TilePlace, widthAt } from '../../log/tiles.ts';
import { LogAway, type PublishedLog } from '../../ports/published-log.ts';

const MAX_TILE_BYTES = TILE_HASHES * HASH_BYTES;
const MAX_BUNDLE_BYTES = TILE_HASHES * (2 + MAX_RECORD_BYTES);

/** Thrown for a tile that cannot be one of the signed tree. The message is a clause. */
export class FalseTile extends Error {
  override readonly name = 'FalseTile';
}

/** The tree at a size that the log has signed. Its hashes are not checked here. */
export class PublishedTree implements TreeSource {
  readonly size: number;
  readonly #log: PublishedLog;

  constructor(log: PublishedLog, size: number) {
    this.#log = log;
    this.size = size;
  }

  /** Returns the hashes of a tile, as far as the tree fills it. Throws {@link FalseTile}. */
  async hashes(level: number, index: number): Promise<readonly Buffer[]> {
    return this.#parts({ level, index }, MAX_TILE_BYTES, hashesIn);
  }

  /** Returns the records of an entry bundle, as far as the tree fills it. Throws {@link FalseTile}. */
  async records(index: number): Promise<readonly string[]> {
    return this.#parts({ level: 'entries', index }, MAX_BUNDLE_BYTES, recordsIn);
  }

  leaves(from: number, count: number): Promise<readonly Buffer[]> {
    return this.nodes(0, from, count);
  }

  async nodes(height: number, from: number, count: number): Promise<readonly Buffer[]> {
    const hashes = await this.hashes(height / TILE_HEIGHT, from / TILE_HASHES);
    return hashes.slice(0, count);
  }

  async #parts<Part>(
    place: Omit<TilePlace, 'width'>,
    maxBytes: number,
    split: (bytes: Buffer) => readonly Part[] | undefined,
  ): Promise<readonly Part[]> {
    const due = widthAt(place, this.size);
    let why = '';
    // A log may delete partial tiles once the full one is there.
    for (const width of new Set([due, TILE_HASHES])) {
      const path = `tile/${pathOf({ ...place, width })}`;
      const { bytes, absent } = await this.#log.read(path, maxBytes);
      if (bytes === undefined) {
        why ||= `${path} is missing, and the log has signed ${this.size} events (${absent})`;
        continue;
      }
      const parts = split(bytes);
      if (parts?.length !== width) throw new FalseTile(`${path} is no tile of this width`);
      return parts.slice(0, due);
    }
    throw new LogAway(why);
  }
}
