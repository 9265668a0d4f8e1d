import { firstIndex } from './columns.ts';

/** How many orders a page holds at most. Encoded, that is about 100 KB. */
export const PAGE_SIZE = 1_024;

interface Page<Encoded> {
  /** The slots of the page's orders, by id; only the first `count` are in use. */
  readonly slots: Uint32Array;
  count: number;
  /** What the page's orders were last encoded to; absent when one has changed since. */
  encoded: Encoded | undefined;
}

/** The slots of all orders by ascending id, and how many of them each page has. */
export interface PackedPages {
  readonly counts: Uint32Array;
  readonly slots: Uint32Array;
}

const NO_PAGES: PackedPages = { counts: new Uint32Array(), slots: new Uint32Array() };

/**
 * All orders by ascending id, in pages, as the leaves of a B-tree would hold them: a new order
 * touches one page, wherever its id falls, and a full page splits in two.
 */
export class OrderPages<Encoded> {
  readonly #idOf: (slot: number) => bigint;
  readonly #pages: Page<Encoded>[];

  constructor(idOf: (slot: number) => bigint, packed: PackedPages = NO_PAGES) {
    this.#idOf = idOf;
    let from = 0;
    this.#pages = Array.from(packed.counts, (count) => {
      from += count;
      return pageOf<Encoded>(packed.slots.subarray(from - count, from));
    });
  }

  /** A copy, from which the same pages can be made again. */
  pack(): PackedPages {
    const counts = Uint32Array.from(this.#pages, ({ count }) => count);
    const slots = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
    let from = 0;
    for (const page of this.#pages) {
      slots.set(page.slots.subarray(0, page.count), from);
      from += page.count;
    }
    return { counts, slots };
  }

  /** Adds an order. */
  insert(slot: number): void {
    const id = this.#idOf(slot);
    const last = this.#pages.at(-1);
    // Ids mostly ascend: their pages fill up one after the other, without a search or a split.
    if (last === undefined || id > this.#highestIdOf(last)) this.#append(last, slot);
    else this.#insertBetween(id, slot);
  }

  /** Notes that an order, which must have been added, looks different now. */
  touch(slot: number): void {
    const page = this.#pages[this.#pageFor(this.#idOf(slot))] as Page<Encoded>;
    page.encoded = undefined;
  }

  /**
   * All pages, encoded; those that have changed are encoded now. The first page stays the first
   * for ever, because pages only ever split behind their start, so its encoding may open the list.
   */
  encoded(encode: (slots: Uint32Array, first: boolean) => Encoded): readonly Encoded[] {
    return this.#pages.map((page, index) => {
      page.encoded ??= encode(page.slots.subarray(0, page.count), index === 0);
      return page.encoded;
    });
  }

  /** The slots of all orders above an id, or of all there are, by ascending id, page by page. */
  *slotsAfter(id: bigint | undefined): Iterable<Uint32Array> {
    let from = id === undefined ? 0 : this.#pageFor(id);
    const first = this.#pages[from];
    if (id !== undefined && first !== undefined) {
      yield first.slots.subarray(this.#placeIn(first, id), first.count);
      from += 1;
    }
    for (let index = from; index < this.#pages.length; index++) {
      const { slots, count } = this.#pages[index] as Page<Encoded>;
      yield slots.subarray(0, count);
    }
  }

  /** The last page that starts at or below an id; the first page for an id below all. */
  #pageFor(id: bigint): number {
    const after = firstIndex(this.#pages.length, (index) => {
      return this.#idOf((this.#pages[index] as Page<Encoded>).slots[0] as number) > id;
    });
    return Math.max(0, after - 1);
  }

  #placeIn(page: Page<Encoded>, id: bigint): number {
    return firstIndex(page.count, (index) => this.#idOf(page.slots[index] as number) > id);
  }

  #highestIdOf(page: Page<Encoded>): bigint {
    return this.#idOf(page.slots[page.count - 1] as number);
  }

  #append(last: Page<Encoded> | undefined, slot: number): void {
    if (last === undefined || last.count === PAGE_SIZE) this.#pages.push(pageOf([slot]));
    else insertAt(last, last.count, slot);
  }

  #insertBetween(id: bigint, slot: number): void {
    let index = this.#pageFor(id);
    if ((this.#pages[index] as Page<Encoded>).count === PAGE_SIZE) {
      this.#split(index);
      index = this.#pageFor(id);
    }
    const page = this.#pages[index] as Page<Encoded>;
    insertAt(page, this.#placeIn(page, id), slot);
  }

  #split(index: number): void {
    const page = this.#pages[index] as Page<Encoded>;
    const half = PAGE_SIZE / 2;
    const upper = pageOf<Encoded>(page.slots.subarray(half));
    page.count = half;
    page.encoded = undefined;
    this.#pages.splice(index + 1, 0, upper);
  }
}

function pageOf<Encoded>(slots: ArrayLike<number>): Page<Encoded> {
  const page = { slots: new Uint32Array(PAGE_SIZE), count: slots.length, encoded: undefined };
  page.slots.set(slots);
  return page;
}

function insertAt(page: Page<unknown>, place: number, slot: number): void {
  page.slots.copyWithin(place + 1, place, page.count);
  page.slots[place] = slot;
  page.count += 1;
  page.encoded = undefined;
}
