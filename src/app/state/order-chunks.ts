/**
 * The order of the list: the slots of all orders by ascending id, in chunks that are encoded one by
 * one, and again only after a change.
 */

import { LISTED, type PackedChunks } from '../log/packed-fold.ts';
import { firstIndex } from './first-index.ts';

/** The most orders in a chunk, which has about 100 KB when encoded. */
export const CHUNK_ORDERS = 1_024;

/**
 * A chunk: orders with neighbouring ids. Ids mostly count up as the slots do: so the slots of most
 * chunks are consecutive, and the first one says them all.
 */
export interface Chunk<Encoded> {
  lowestId: bigint;
  /** The first slot; {@link LISTED} if the slots are not consecutive. */
  first: number;
  /** The slots by ascending id if they are not consecutive; only the first `count` are used. */
  listed: Uint32Array;
  count: number;
  /** The number of cuts of the list before this object was made. Later cuts contain it. */
  readonly cutsBefore: number;
  /** Its encoding, as soon as there is one. */
  encoded: Encoded | undefined;
}

const NONE = new Uint32Array();
const NO_CHUNKS: PackedChunks = { counts: NONE, firsts: new Int32Array(), slots: NONE };

/**
 * All orders by ascending id, in chunks, as the leaves of a B-tree would hold them: a new order
 * touches one chunk, wherever its id falls, and a full chunk splits in two.
 */
export class OrderChunks<Encoded> {
  readonly #idOf: (slot: number) => bigint;
  readonly #chunks: Chunk<Encoded>[];
  #cuts = 0;

  constructor(idOf: (slot: number) => bigint, packed: PackedChunks = NO_CHUNKS) {
    this.#idOf = idOf;
    let from = 0;
    this.#chunks = Array.from(packed.counts, (count, index) => {
      const first = packed.firsts[index] as number;
      if (first !== LISTED) return chunkFrom<Encoded>(first, count, idOf(first));
      from += count;
      const slots = packed.slots.subarray(from - count, from);
      return chunkOf<Encoded>(slots, idOf(slots[0] as number));
    });
  }

  /** Returns a copy, from which the chunks can be restored. */
  pack(): PackedChunks {
    const counts = Uint32Array.from(this.#chunks, ({ count }) => count);
    const firsts = Int32Array.from(this.#chunks, ({ first }) => first);
    const listed = this.#chunks.filter(({ first }) => first === LISTED);
    const slots = new Uint32Array(listed.reduce((sum, { count }) => sum + count, 0));
    let from = 0;
    for (const chunk of listed) {
      slots.set(slotsOf(chunk), from);
      from += chunk.count;
    }
    return { counts, firsts, slots };
  }

  insert(slot: number): void {
    const id = this.#idOf(slot);
    const last = this.#chunks.at(-1);
    // Ids mostly ascend: chunks then fill up in turn, without a search or a split.
    if (last === undefined || id > this.#highestIdOf(last)) this.#append(last, slot, id);
    else this.#insertBetween(id, slot);
  }

  /** Marks the chunk of an order, which must have been inserted, as stale. */
  touch(slot: number): void {
    this.#toChange(this.#chunkFor(this.#idOf(slot)));
  }

  /** Returns the number of stale chunks. */
  countStale(): number {
    return this.#chunks.reduce((sum, { encoded }) => sum + (encoded === undefined ? 1 : 0), 0);
  }

  /**
   * Returns all present chunks, which change no more. The caller encodes the stale ones, now or later.
   * The first chunk stays the first, because a chunk splits after its start, so its encoding may open
   * the list. Nothing but the list of chunks is copied: there may be a hundred thousand.
   */
  cut(): readonly Chunk<Encoded>[] {
    this.#cuts += 1;
    return this.#chunks.slice();
  }

  /**
   * Yields the slots of all orders above an id, or of all, by ascending id, chunk by chunk. Each array
   * is valid until the next.
   */
  *slotsAfter(id: bigint | undefined): Iterable<Uint32Array> {
    const room = new Uint32Array(CHUNK_ORDERS);
    let from = id === undefined ? 0 : this.#chunkFor(id);
    const first = this.#chunks[from];
    if (id !== undefined && first !== undefined) {
      yield slotsOf(first, this.#placeIn(first, id), first.count, room);
      from += 1;
    }
    for (let index = from; index < this.#chunks.length; index++) {
      const chunk = this.#chunks[index] as Chunk<Encoded>;
      yield slotsOf(chunk, 0, chunk.count, room);
    }
  }

  /** As {@link slotsAfter}, of all orders below an id, or of all, by descending id. */
  *slotsBefore(id: bigint | undefined): Iterable<Uint32Array> {
    const room = new Uint32Array(CHUNK_ORDERS);
    const last = id === undefined ? this.#chunks.length - 1 : this.#chunkFor(id);
    for (let index = last; index >= 0; index--) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) return;
      const isCut = id !== undefined && index === last;
      const end = isCut ? this.#placeIn(chunk, id - 1n) : chunk.count;
      yield slotsOf(chunk, 0, end, room).slice().reverse();
    }
  }

  /** Returns the index of the last chunk that starts at or below an id; 0 for an id below all. */
  #chunkFor(id: bigint): number {
    const after = firstIndex(this.#chunks.length, (index) => {
      return (this.#chunks[index] as Chunk<Encoded>).lowestId > id;
    });
    return Math.max(0, after - 1);
  }

  #placeIn(chunk: Chunk<Encoded>, id: bigint): number {
    return firstIndex(chunk.count, (index) => this.#idOf(slotAt(chunk, index)) > id);
  }

  #highestIdOf(chunk: Chunk<Encoded>): bigint {
    return this.#idOf(slotAt(chunk, chunk.count - 1));
  }

  #append(last: Chunk<Encoded> | undefined, slot: number, id: bigint): void {
    if (last === undefined || last.count === CHUNK_ORDERS) {
      this.#chunks.push(chunkFrom(slot, 1, id, this.#cuts));
    } else {
      const chunk = this.#toChange(this.#chunks.length - 1);
      insertAt(chunk, chunk.count, slot);
    }
  }

  #insertBetween(id: bigint, slot: number): void {
    let index = this.#chunkFor(id);
    if ((this.#chunks[index] as Chunk<Encoded>).count === CHUNK_ORDERS) {
      this.#split(index);
      index = this.#chunkFor(id);
    }
    const chunk = this.#toChange(index);
    insertAt(chunk, this.#placeIn(chunk, id), slot);
    if (id < chunk.lowestId) chunk.lowestId = id;
  }

  #split(index: number): void {
    const chunk = this.#toChange(index);
    const half = CHUNK_ORDERS / 2;
    const slots = slotsOf(chunk, half);
    const upper = chunkOf<Encoded>(slots, this.#idOf(slots[0] as number), this.#cuts);
    chunk.count = half;
    this.#chunks.splice(index + 1, 0, upper);
  }

  /** Returns a chunk that may be changed, without its encoding: a copy of it if a cut contains it. */
  #toChange(index: number): Chunk<Encoded> {
    const chunk = this.#chunks[index] as Chunk<Encoded>;
    if (chunk.cutsBefore === this.#cuts) {
      chunk.encoded = undefined;
      return chunk;
    }
    const { listed } = chunk;
    const copy = { ...chunk, listed: listed.slice(), cutsBefore: this.#cuts, encoded: undefined };
    this.#chunks[index] = copy;
    return copy;
  }
}

/** Returns the slot at a place of a chunk. */
function slotAt({ first, listed }: Chunk<unknown>, place: number): number {
  return first === LISTED ? (listed[place] as number) : first + place;
}

/**
 * Returns the slots of a chunk, or some of them, which must not be changed.
 * @param room The array for slots that are not listed.
 */
export function slotsOf(
  { first, listed, count }: Readonly<Chunk<unknown>>,
  from = 0,
  to = count,
  room = new Uint32Array(CHUNK_ORDERS),
): Uint32Array {
  if (first === LISTED) return listed.subarray(from, to);
  for (let place = from; place < to; place++) room[place] = first + place;
  return room.subarray(from, to);
}

/** Returns a chunk with consecutive slots. */
function chunkFrom<Encoded>(
  first: number,
  count: number,
  lowestId: bigint,
  cutsBefore = 0,
): Chunk<Encoded> {
  return { lowestId, first, listed: NONE, count, cutsBefore, encoded: undefined };
}

function chunkOf<Encoded>(slots: Uint32Array, lowestId: bigint, cutsBefore = 0): Chunk<Encoded> {
  const chunk = chunkFrom<Encoded>(LISTED, slots.length, lowestId, cutsBefore);
  chunk.listed = listOf(slots);
  return chunk;
}

/** Returns a list of slots that has room for those of a full chunk. */
function listOf(slots: Uint32Array): Uint32Array {
  const listed = new Uint32Array(CHUNK_ORDERS);
  listed.set(slots);
  return listed;
}

function insertAt(chunk: Chunk<unknown>, place: number, slot: number): void {
  const isNext = place === chunk.count && slot === chunk.first + place;
  if (chunk.first !== LISTED && !isNext) {
    chunk.listed = listOf(slotsOf(chunk));
    chunk.first = LISTED;
  }
  if (chunk.first === LISTED) {
    chunk.listed.copyWithin(place + 1, place, chunk.count);
    chunk.listed[place] = slot;
  }
  chunk.count += 1;
}
