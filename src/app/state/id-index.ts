import type { PackedIndex } from '../log/packed-fold.ts';
import { firstIndex } from './first-index.ts';
import { Int64Table } from './int64-table.ts';

/** The keys of a run that is worth an entry of its own: fewer are put into the table. */
const MIN_RUN_KEYS = 64;

/** Consecutive keys, whose slots are consecutive as well. */
interface Run {
  /** The first key: a safe integer. */
  readonly first: number;
  /** Its slot. */
  readonly slot: number;
  length: number;
}

/**
 * An index from int64 keys to slots, the indexes at which the caller stores each key's values.
 * Slots count up from 0 in the order in which keys were added, and nothing is ever removed.
 *
 * Ids that a service assigns count up as the slots do, so that a run of them is three numbers,
 * however long it is. The newest run is open: a key that follows its last one extends it. Any other
 * key begins a new run, and of the one before, the keys are put into a hash table if they are fewer
 * than {@link MIN_RUN_KEYS}. So ids in no order, as an import may have them, cost what the table
 * costs, and a lookup is a binary search in at most a 64th as many runs as there are keys.
 */
export class IdIndex {
  #size: number;
  /** All runs but the open one, by ascending keys. */
  readonly #runs: Run[];
  #open: Run;
  readonly #table: Int64Table;

  constructor(packed?: PackedIndex) {
    this.#size = packed?.size ?? 0;
    this.#runs = packed?.runs.map((run) => ({ ...run })) ?? [];
    this.#open = { ...(packed?.open ?? NO_RUN) };
    this.#table = new Int64Table(packed?.table);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns a copy, from which the index can be restored. */
  pack(): PackedIndex {
    const runs = this.#runs.map((run) => ({ ...run }));
    return { size: this.#size, runs, open: { ...this.#open }, table: this.#table.pack() };
  }

  /** Returns the slot of a key, or −1. */
  slotOf(key: bigint): number {
    // Exact for safe integers, and no safe integer for any other key.
    const number = Number(key);
    let slot = slotIn(this.#open, number);
    if (slot === -1) slot = this.#slotInRuns(number);
    return slot === -1 ? this.#table.get(key) : slot;
  }

  /** Returns the slot of a key; adds the key if it is absent. */
  add(key: bigint): number {
    const known = this.slotOf(key);
    if (known !== -1) return known;
    const slot = this.#size;
    const number = Number(key);
    const follows = number === this.#open.first + this.#open.length;
    if (follows && Number.isSafeInteger(number)) this.#open.length += 1;
    else this.#begin(key, number, slot);
    this.#size = slot + 1;
    return slot;
  }

  #slotInRuns(number: number): number {
    const runs = this.#runs;
    if (runs.length === 0) return -1;
    const above = firstIndex(runs.length, (index) => (runs[index] as Run).first > number);
    const run = runs[above - 1];
    return run === undefined ? -1 : slotIn(run, number);
  }

  /** Begins a run with a key, or puts the key into the table if it is not a safe integer. */
  #begin(key: bigint, number: number, slot: number): void {
    this.#close(this.#open);
    const isSafe = Number.isSafeInteger(number);
    if (!isSafe) this.#table.add(key, slot);
    this.#open = isSafe ? { first: number, slot, length: 1 } : NO_RUN;
  }

  #close(run: Run): void {
    if (run.length >= MIN_RUN_KEYS) {
      const place = firstIndex(this.#runs.length, (index) => {
        return (this.#runs[index] as Run).first > run.first;
      });
      this.#runs.splice(place, 0, run);
      return;
    }
    for (let index = 0; index < run.length; index += 1) {
      this.#table.add(BigInt(run.first + index), run.slot + index);
    }
  }
}

/** Returns the slot of a key in a run, or −1. */
function slotIn({ first, slot, length }: Run, number: number): number {
  // The sum of slot and number may be beyond what a number holds exactly.
  const place = number - first;
  return place >= 0 && place < length ? slot + place : -1;
}

/** Stands for the absence of a run: no key follows it. */
const NO_RUN: Run = { first: NaN, slot: 0, length: 0 };
