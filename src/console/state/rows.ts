/**
 * Rows of a long list that are loaded in parts as they come into view. Only the parts used last are
 * held: {@link PARTS_MAX} of them, or more while the rows that are wanted are spread over more.
 */

export const PARTS_MAX = 24;

export interface Rows<Row> {
  /** The rows known to exist, and one more while the end has not been reached. */
  readonly count: number;
  readonly isComplete: boolean;
  /** Returns a row, or `undefined` while it is loaded. */
  at(index: number): Row | undefined;
  /**
   * Loads what is missing of some rows. Rejects with what a part could not be loaded for. Once the
   * signal aborts, no further part is loaded, and the promise resolves with that under way.
   */
  want(first: number, end: number, signal?: AbortSignal): Promise<void>;
}

/** The parts in memory, the one used last at the end. */
class Parts<Row> {
  readonly #held = new Map<number, readonly Row[]>();

  get(number: number): readonly Row[] | undefined {
    const part = this.#held.get(number);
    if (part === undefined) return undefined;
    this.#held.delete(number);
    this.#held.set(number, part);
    return part;
  }

  /** Adds a part, and drops those used first of all others, but for those that are wanted. */
  add(number: number, part: readonly Row[], isWanted: (number: number) => boolean): void {
    this.#held.set(number, part);
    for (const held of this.#held.keys()) {
      if (this.#held.size <= PARTS_MAX) return;
      if (!isWanted(held)) this.#held.delete(held);
    }
  }
}

interface Page<Row> {
  readonly data: readonly Row[];
  /** The cursor to the next page; null on the last one. */
  readonly next: string | null;
}

/** Some rows that are wanted: from one up to another, which is not among them. */
interface Wanted {
  readonly first: number;
  readonly end: number;
}

/** Rows behind cursors: each page names the next one. Pages may differ in length. */
export class PagedRows<Row> implements Rows<Row> {
  readonly #load: (cursor: string | undefined) => Promise<Page<Row>>;
  readonly #parts = new Parts<Row>();
  /** The cursor and the first row of each page that has been reached and has rows. */
  readonly #pages: { readonly cursor: string | undefined; readonly first: number }[] = [];
  /** The rows that are being loaded, of each caller. */
  readonly #wanted = new Set<Wanted>();
  #known = 0;
  #next: string | null | undefined;
  #loading: Promise<void> | undefined;

  constructor(load: (cursor: string | undefined) => Promise<Page<Row>>) {
    this.#load = load;
  }

  get isComplete(): boolean {
    return this.#next === null;
  }

  get count(): number {
    return this.#known + (this.isComplete ? 0 : 1);
  }

  at(index: number): Row | undefined {
    const number = this.#pageOf(index);
    const { first = 0 } = this.#pages[number] ?? {};
    return this.#parts.get(number)?.[index - first];
  }

  async want(first: number, end: number, signal?: AbortSignal): Promise<void> {
    const wanted = { first, end };
    this.#wanted.add(wanted);
    try {
      while (!signal?.aborted) {
        const missing = this.#missing(wanted);
        if (missing === undefined) return;
        this.#loading ??= this.#fetch(missing).finally(() => {
          this.#loading = undefined;
        });
        await this.#loading;
      }
    } finally {
      this.#wanted.delete(wanted);
    }
  }

  /** Returns the number of a page that some rows need and that is not held. */
  #missing({ first, end }: Wanted): number | undefined {
    const last = Math.min(end, this.#known) - 1;
    const to = first <= last ? this.#pageOf(last) : -1;
    // By pages, not by rows: one that is loaded again may have fewer rows than before.
    for (let number = this.#pageOf(first); number <= to; number += 1) {
      if (this.#parts.get(number) === undefined) return number;
    }
    return end > this.#known && !this.isComplete ? this.#pages.length : undefined;
  }

  async #fetch(number: number): Promise<void> {
    const isNew = number === this.#pages.length;
    const cursor = isNew ? (this.#next ?? undefined) : this.#pages[number]?.cursor;
    const { data, next } = await this.#load(cursor);
    if (isNew) {
      this.#next = next;
      if (data.length === 0) return;
      this.#pages.push({ cursor, first: this.#known });
      this.#known += data.length;
    }
    this.#parts.add(number, data, (held) => this.#isWanted(held));
  }

  /** Returns true for a page with wanted rows. If it was dropped, they would never be all there. */
  #isWanted(number: number): boolean {
    return [...this.#wanted].some(({ first, end }) => {
      return this.#pageOf(first) <= number && number <= this.#pageOf(end - 1);
    });
  }

  /** Returns the number of the page that holds a row, by bisection. */
  #pageOf(row: number): number {
    let low = 0;
    let high = this.#pages.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pages[middle]?.first ?? 0) <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Rows by their numbers: any of them can be loaded without those before it. */
export class DenseRows<Row> implements Rows<Row> {
  readonly count: number;
  readonly isComplete = true;
  readonly #partRows: number;
  readonly #load: (first: number, end: number) => Promise<readonly Row[]>;
  readonly #parts = new Parts<Row>();
  readonly #loading = new Map<number, Promise<void>>();

  constructor(
    count: number,
    partRows: number,
    load: (first: number, end: number) => Promise<readonly Row[]>,
  ) {
    this.count = count;
    this.#partRows = partRows;
    this.#load = load;
  }

  at(index: number): Row | undefined {
    const number = Math.floor(index / this.#partRows);
    return this.#parts.get(number)?.[index - number * this.#partRows];
  }

  async want(first: number, end: number, signal?: AbortSignal): Promise<void> {
    const last = Math.min(end, this.count) - 1;
    const [from = 0, to = -1] = [first, last].map((row) => Math.floor(row / this.#partRows));
    for (let number = from; number <= to && !signal?.aborted; number += 1) {
      if (this.#parts.get(number) !== undefined) continue;
      const loading = this.#loading.get(number) ?? this.#fetch(number, from, to);
      this.#loading.set(number, loading);
      await loading.finally(() => this.#loading.delete(number));
    }
  }

  async #fetch(number: number, from: number, to: number): Promise<void> {
    const begin = number * this.#partRows;
    const part = await this.#load(begin, Math.min(this.count, begin + this.#partRows));
    this.#parts.add(number, part, (held) => from <= held && held <= to);
  }
}
