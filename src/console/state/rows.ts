/**
 * Rows of a long list that are loaded in parts as they come into view. Only the parts used last are
 * held: {@link PARTS_MAX} of them.
 */

export const PARTS_MAX = 24;

export interface Rows<Row> {
  /** The rows known to exist, and one more while the end has not been reached. */
  readonly count: number;
  readonly isComplete: boolean;
  /** Returns a row, or `undefined` while it is loaded. */
  at(index: number): Row | undefined;
  /** Loads what is missing of some rows. Rejects with what a part could not be loaded for. */
  want(first: number, end: number): Promise<void>;
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

  add(number: number, part: readonly Row[]): void {
    this.#held.set(number, part);
    const [oldest] = this.#held.keys();
    if (this.#held.size > PARTS_MAX && oldest !== undefined) this.#held.delete(oldest);
  }
}

interface Page<Row> {
  readonly data: readonly Row[];
  /** The cursor to the next page; null on the last one. */
  readonly next: string | null;
}

/** Rows behind cursors: each page names the next one. Pages may differ in length. */
export class PagedRows<Row> implements Rows<Row> {
  readonly #load: (cursor: string | undefined) => Promise<Page<Row>>;
  readonly #parts = new Parts<Row>();
  /** The cursor and the first row of each page that has been reached. */
  readonly #pages: { cursor: string | undefined; first: number }[] = [];
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

  async want(first: number, end: number): Promise<void> {
    for (;;) {
      const missing = this.#missing(first, end);
      if (missing === undefined) return;
      this.#loading ??= this.#fetch(missing).finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
    }
  }

  /** Returns the number of a page that some rows need and that is not held. */
  #missing(first: number, end: number): number | undefined {
    for (let row = first; row < Math.min(end, this.#known); row += 1) {
      if (this.at(row) === undefined) return this.#pageOf(row);
    }
    return end > this.#known && !this.isComplete ? this.#pages.length : undefined;
  }

  async #fetch(number: number): Promise<void> {
    const isNew = number === this.#pages.length;
    const cursor = isNew ? (this.#next ?? undefined) : this.#pages[number]?.cursor;
    const { data, next } = await this.#load(cursor);
    this.#parts.add(number, data);
    if (!isNew) return;
    this.#pages.push({ cursor, first: this.#known });
    this.#known += data.length;
    this.#next = next;
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

  async want(first: number, end: number): Promise<void> {
    const last = Math.min(end, this.count) - 1;
    const [from, to] = [first, last].map((row) => Math.floor(row / this.#partRows));
    for (let number = from ?? 0; number <= (to ?? -1); number += 1) {
      if (this.#parts.get(number) !== undefined) continue;
      const begin = number * this.#partRows;
      const part = await this.#load(begin, Math.min(this.count, begin + this.#partRows));
      this.#parts.add(number, part);
    }
  }
}
