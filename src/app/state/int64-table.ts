import type { PackedTable } from '../log/packed-fold.ts';

/**
 * A hash table from int64 keys to numbers from 0 below 2^31 − 1. Nothing is ever removed.
 *
 * Open addressing with linear probing over one typed array: a cell is the key's two halves and
 * its value, 12 bytes, with between 1.5 and 3 cells a key and no object per key. A Map<bigint,
 * number> of a million keys takes about three times that, and leaves the garbage collector a
 * million objects to visit. The halves are compared as 32-bit numbers, because reading a bigint
 * from an array allocates one.
 */
export class Int64Table {
  #cells: number;
  // Low half, high half, value + 1 of each cell: 0, with which a new array is filled, means "empty".
  #table: Int32Array<ArrayBuffer>;
  #size: number;

  constructor({ table, size }: PackedTable = { table: new Int32Array(1_024 * 3), size: 0 }) {
    this.#cells = table.length / 3;
    this.#table = table;
    this.#size = size;
  }

  /** Returns a copy, from which the table can be restored. */
  pack(): PackedTable {
    return { table: this.#table.slice(), size: this.#size };
  }

  /** Returns the value of a key, or −1. */
  get(key: bigint): number {
    split(key);
    return (this.#table[this.#find(low, high) + 2] as number) - 1;
  }

  /** Adds a key, which must be absent. */
  add(key: bigint, value: number): void {
    split(key);
    this.#fill(this.#find(low, high), low, high, value + 1);
    this.#size += 1;
    if (this.#size * 3 > this.#cells * 2) this.#grow();
  }

  /** Returns the index of a key's cell in the table: its own, or the empty one for it. */
  #find(lowHalf: number, highHalf: number): number {
    const table = this.#table;
    const mask = this.#cells - 1;
    let cell = hash(lowHalf, highHalf) & mask;
    for (;;) {
      const at = cell * 3;
      if (table[at + 2] === 0) return at;
      if (table[at] === lowHalf && table[at + 1] === highHalf) return at;
      cell = (cell + 1) & mask;
    }
  }

  #fill(at: number, lowHalf: number, highHalf: number, content: number): void {
    this.#table[at] = lowHalf;
    this.#table[at + 1] = highHalf;
    this.#table[at + 2] = content;
  }

  #grow(): void {
    const old = this.#table;
    this.#cells *= 2;
    this.#table = new Int32Array(this.#cells * 3);
    for (let at = 0; at < old.length; at += 3) {
      const [lowHalf, highHalf, content] = [old[at], old[at + 1], old[at + 2]] as Cell;
      if (content !== 0) this.#fill(this.#find(lowHalf, highHalf), lowHalf, highHalf, content);
    }
  }
}

type Cell = [lowHalf: number, highHalf: number, content: number];

const wide = new BigInt64Array(1);
const halves = new Int32Array(wide.buffer);
let low = 0;
let high = 0;

/** Sets `low` and `high` to the halves of a key; returning the two would allocate an array. */
function split(key: bigint): void {
  wide[0] = key;
  low = halves[0] as number;
  high = halves[1] as number;
}

// Eight neighbouring keys share a block of eight cells, about one and a half cache lines, so that
// consecutive ids are mostly found next to each other. Blocks are scattered by the finalizer of
// MurmurHash3 over both halves, so that ids which share some bits, such as multiples of a power of
// two, do not crowd into a few of them.
function hash(lowHalf: number, highHalf: number): number {
  let mixed = (lowHalf >>> 3) ^ Math.imul(highHalf, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) << 3) | (lowHalf & 7);
}
