/**
 * The order of the list: the slots of all orders by ascending id, in chunks that are encoded one by
 * one, and again only after a change.
 */

import type { PackedChunks } from '../log/packed-fold.ts';
import { firstIndex } from './columns.ts';

/** The most orders in a chunk, which has about 100 KB when encoded. */
export const CHUNK_ORDERS = 1_024;

interface Chunk<Encoded> {
  /** The slots of the chunk's orders, by id; only the first `count` are used. */
  slots: Uint32Array;
  count: number;
  /** True if a cut has the same slots: they must not be changed then, but may be added to. */
  isCut: boolean;
  /** The chunk in the newest cut; absent if an order has changed since. */
  newest: CutChunk<Encoded> | undefined;
}

/** A chunk of a cut, with its encoding as soon as there is one. */
export interface CutChunk<Encoded> {
  /** The slots, of which the first `count` are used. Dropped when the chunk is encoded. */
  slots: Uint32Array;
  readonly count: number;
  encoded: Encoded | undefined;
}

const NO_CHUNKS: PackedChunks = { counts: new Uint32Array(), slots: new Uint32Array() };

/**
 * All orders by ascending id, in chunks, as the leaves of a B-tree would hold them: a new order
 * touches one chunk, wherever its id falls, and a full chunk splits in two.
 */
export class OrderChunks<Encoded> {
  readonly #idOf: (slot: number) => bigint;
  readonly #chunks: Chunk<Encoded>[];

  constructor(idOf: (slot: number) => bigint, packed: PackedChunks = NO_CHUNKS) {
    this.#idOf = idOf;
    let from = 0;
    this.#chunks = Array.from(packed.counts, (count) => {
      from += count;
      return chunkOf<Encoded>(packed.slots.subarray(from - count, from));
    });
  }

  /** Returns a copy, from which the chunks can be restored. */
  pack(): PackedChunks {
    const counts = Uint32Array.from(this.#chunks, ({ count }) => count);
    const slots = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
    let from = 0;
    for (const chunk of this.#chunks) {
      slots.set(chunk.slots.subarray(0, chunk.count), from);
      from += chunk.count;
    }
    return { counts, slots };
  }

  insert(slot: number): void {
    const id = this.#idOf(slot);
    const last = this.#chunks.at(-1);
    // Ids mostly ascend: chunks then fill up in turn, without a search or a split.
    if (last === undefined || id > this.#highestIdOf(last)) this.#append(last, slot);
    else this.#insertBetween(id, slot);
  }

  /** Marks the chunk of an order, which must have been inserted, as stale. */
  touch(slot: number): void {
    const chunk = this.#chunks[this.#chunkFor(this.#idOf(slot))] as Chunk<Encoded>;
    chunk.newest = undefined;
  }

  /** Returns the number of stale chunks. */
  countStale(): number {
    return this.#chunks.reduce(
      (sum, { newest }) => sum + (newest?.encoded === undefined ? 1 : 0),
      0,
    );
  }

  /**
   * Returns all present chunks. The caller encodes the ones that have changed since the last cut,
   * now or later. The first chunk stays the first, because a chunk splits after its start, so its
   * encoding may open the list. Nothing is copied here: a list may have a hundred thousand chunks.
   */
  cut(): readonly CutChunk<Encoded>[] {
    return this.#chunks.map((chunk) => {
      if (chunk.newest === undefined) {
        const { slots, count } = chunk;
        chunk.newest = { slots, count, encoded: undefined };
        chunk.isCut = true;
      }
      return chunk.newest;
    });
  }

  /** Yields the slots of all orders above an id, or of all, by ascending id, chunk by chunk. */
  *slotsAfter(id: bigint | undefined): Iterable<Uint32Array> {
    let from = id === undefined ? 0 : this.#chunkFor(id);
    const first = this.#chunks[from];
    if (id !== undefined && first !== undefined) {
      yield first.slots.subarray(this.#placeIn(first, id), first.count);
      from += 1;
    }
    for (let index = from; index < this.#chunks.length; index++) {
      const { slots, count } = this.#chunks[index] as Chunk<Encoded>;
      yield slots.subarray(0, count);
    }
  }

  /** Yields the slots of all orders below an id, or of all, by descending id, chunk by chunk. */
  *slotsBefore(id: bigint | undefined): Iterable<Uint32Array> {
    const last = id === undefined ? this.#chunks.length - 1 : this.#chunkFor(id);
    for (let index = last; index >= 0; index--) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) return;
      const isCut = id !== undefined && index === last;
      const end = isCut ? this.#placeIn(chunk, id - 1n) : chunk.count;
      yield chunk.slots.slice(0, end).reverse();
    }
  }

  /** Returns the index of the last chunk that starts at or below an id; 0 for an id below all. */
  #chunkFor(id: bigint): number {
    const after = firstIndex(this.#chunks.length, (index) => {
      return this.#idOf((this.#chunks[index] as Chunk<Encoded>).slots[0] as number) > id;
    });
    return Math.max(0, after - 1);
  }

  #placeIn(chunk: Chunk<Encoded>, id: bigint): number {
    return firstIndex(chunk.count, (index) => this.#idOf(chunk.slots[index] as number) > id);
  }

  #highestIdOf(chunk: Chunk<Encoded>): bigint {
    return this.#idOf(chunk.slots[chunk.count - 1] as number);
  }

  #append(last: Chunk<Encoded> | undefined, slot: number): void {
    if (last === undefined || last.count === CHUNK_ORDERS) this.#chunks.push(chunkOf([slot]));
    else insertAt(last, last.count, slot);
  }

  #insertBetween(id: bigint, slot: number): void {
    let index = this.#chunkFor(id);
    if ((this.#chunks[index] as Chunk<Encoded>).count === CHUNK_ORDERS) {
      this.#split(index);
      index = this.#chunkFor(id);
    }
    const chunk = this.#chunks[index] as Chunk<Encoded>;
    insertAt(chunk, this.#placeIn(chunk, id), slot);
  }

  #split(index: number): void {
    const chunk = this.#chunks[index] as Chunk<Encoded>;
    const half = CHUNK_ORDERS / 2;
    const upper = chunkOf<Encoded>(chunk.slots.subarray(half));
    own(chunk);
    chunk.count = half;
    chunk.newest = undefined;
    this.#chunks.splice(index + 1, 0, upper);
  }
}

function chunkOf<Encoded>(slots: ArrayLike<number>): Chunk<Encoded> {
  const copy = new Uint32Array(CHUNK_ORDERS);
  copy.set(slots);
  return { slots: copy, count: slots.length, isCut: false, newest: undefined };
}

/** Gives a chunk slots of its own, before they are changed. */
function own(chunk: Chunk<unknown>): void {
  if (!chunk.isCut) return;
  chunk.slots = chunk.slots.slice();
  chunk.isCut = false;
}

function insertAt(chunk: Chunk<unknown>, place: number, slot: number): void {
  if (place < chunk.count) own(chunk);
  chunk.slots.copyWithin(place + 1, place, chunk.count);
  chunk.slots[place] = slot;
  chunk.count += 1;
  chunk.newest = undefined;
}
