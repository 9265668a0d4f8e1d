/**
 * A hash table from int64 to the slot in which the caller keeps what belongs to it: slots count
 * up from 0 in the order in which keys were added, and nothing is ever removed.
 *
 * Open addressing with linear probing over typed arrays: 12 bytes a cell, between 1.5 and 3 cells
 * a key, no object per key. A Map<bigint, number> of a million keys takes about three times that
 * and leaves the garbage collector a million objects to visit.
 */
export class Int64Index {
  #cells = 1024;
  #keys = new BigInt64Array(this.#cells);
  // Slot + 1, so that the zero a new array is filled with means "empty".
  #slots = new Uint32Array(this.#cells);
  #size = 0;

  /** The slot of a key, or −1. */
  slotOf(key: bigint): number {
    return (this.#slots[this.#cellOf(key)] as number) - 1;
  }

  /** The slot of a key, which is added if it is not there. */
  add(key: bigint): number {
    const cell = this.#cellOf(key);
    const slot = this.#slots[cell] as number;
    if (slot !== 0) return slot - 1;
    this.#keys[cell] = key;
    this.#slots[cell] = ++this.#size;
    if (this.#size * 3 > this.#cells * 2) this.#grow();
    return this.#size - 1;
  }

  #cellOf(key: bigint): number {
    const mask = this.#cells - 1;
    let cell = hash(key) & mask;
    while (this.#slots[cell] !== 0 && this.#keys[cell] !== key) cell = (cell + 1) & mask;
    return cell;
  }

  #grow(): void {
    const keys = this.#keys;
    const slots = this.#slots;
    this.#cells *= 2;
    this.#keys = new BigInt64Array(this.#cells);
    this.#slots = new Uint32Array(this.#cells);
    for (let old = 0; old < slots.length; old++) {
      if (slots[old] === 0) continue;
      const key = keys[old] as bigint;
      const cell = this.#cellOf(key);
      this.#keys[cell] = key;
      this.#slots[cell] = slots[old] as number;
    }
  }
}

const wide = new BigInt64Array(1);
const halves = new Int32Array(wide.buffer);

// The finalizer of MurmurHash3 over both halves: neighbouring ids must not fall into neighbouring
// cells only, or a run of deliberate ids could make every probe a long walk.
function hash(key: bigint): number {
  wide[0] = key;
  let mixed = (halves[0] as number) ^ Math.imul(halves[1] as number, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
