/** Reads tiles and entry bundles of the log, and checks them before they go out. */

import { rootedTile, TILE_HASHES } from '../../log/merkle-proofs.ts';
import { recordOf } from '../../log/recorded-event.ts';
import { bundleOf, type TilePlace, widthAt } from '../../log/tiles.ts';
import { DamagedStore } from '../../ports/store.ts';
import type { Trail } from '../../ports/trail.ts';
import { orDamaged } from '../trail/checked-trail.ts';

export class TileReader {
  readonly #trail: Trail;

  /** @param trail One that checks the events that it returns. */
  constructor(trail: Trail) {
    this.#trail = trail;
  }

  /**
   * Returns the bytes of a tile or an entry bundle; `undefined` if the log does not fill that width
   * yet. A narrower one is the beginning of a wider one, so there is one for every size that the log
   * ever had. Throws {@link DamagedStore} if a stored hash or event is not what was recorded.
   */
  async read(place: TilePlace): Promise<Buffer | undefined> {
    const { level, index, width } = place;
    const { size, root } = await this.#trail.treeHead();
    if (widthAt(place, size) < width) return undefined;
    if (level === 'entries') {
      const events = await this.#trail.stored(index * TILE_HASHES, width);
      return bundleOf(events.map(recordOf));
    }
    const tile = await orDamaged(() => rootedTile(level, index, size, this.#trail));
    if (!Buffer.from(root).equals(tile.root)) {
      throw new DamagedStore(`the tree of the log: tile ${index} of level ${level} was changed`);
    }
    return Buffer.concat(tile.hashes.slice(0, width));
  }
}
