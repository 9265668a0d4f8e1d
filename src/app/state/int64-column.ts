import type { PackedHalves } from '../log/packed-fold.ts';
import { Column } from './column.ts';

const HALF = 2 ** 32;
/** The halves of integers whose high half is less than this are exact in one number. */
const SAFE_HIGH = 2 ** 20;
/** So is the difference of an integer below this one and an index. */
const MAX_SAFE = 2 ** 52;

/**
 * A column of 64-bit integers, in two columns for their halves. Of most, the high half is 0, which
 * takes no memory.
 */
export class Int64Column {
  readonly #high: Column;
  readonly #low: Column;
  readonly #slope: number;

  /** @param slope The entries are held less this times their index. */
  constructor(packed?: PackedHalves, slope: 0 | 1 = 0) {
    this.#high = new Column(packed?.high);
    this.#low = new Column(packed?.low);
    this.#slope = slope;
  }

  /** Returns a copy, from which the column can be restored. */
  pack(): PackedHalves {
    return { high: this.#high.pack(), low: this.#low.pack() };
  }

  get(index: number): bigint {
    const high = this.#high.get(index);
    const low = this.#low.get(index);
    const rise = this.#slope * index;
    if (high > -SAFE_HIGH && high < SAFE_HIGH) return BigInt(high * HALF + low + rise);
    return (BigInt(high) << 32n) + BigInt(low) + BigInt(rise);
  }

  /** Sets the next entry. */
  set(index: number, value: bigint): void {
    const number = Number(value);
    if (number > -MAX_SAFE && number < MAX_SAFE) {
      const rest = number - this.#slope * index;
      const high = Math.floor(rest / HALF);
      this.#high.set(index, high);
      this.#low.set(index, rest - high * HALF);
      return;
    }
    const { high, low } = halvesOf(value - BigInt(this.#slope * index));
    this.#high.set(index, high);
    this.#low.set(index, low);
  }

  /** As {@link Column.within}, for the entries that equal a value. The slope must be 0. */
  equal(indexes: Uint32Array, count: number, into: Uint32Array, value: bigint): number {
    const { high, low } = halvesOf(value);
    const passed = this.#low.within(indexes, count, into, low, low + 1);
    return this.#high.within(into, passed, into, high, high + 1);
  }
}

/** Returns the halves of an integer: high × 2^32 + low. */
function halvesOf(value: bigint): { readonly high: number; readonly low: number } {
  return { high: Number(value >> 32n), low: Number(value & 0xffffffffn) };
}
