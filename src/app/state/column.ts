/**
 * Columns of integers, one for each order or event, that take as few bytes as their values allow.
 *
 * A column is a list of segments, each of which holds {@link SEGMENT_ENTRIES} entries as offsets: an
 * entry is `base + unit × offset`. Offsets have one byte, two or four where that suffices, and none
 * where all are 0. So neighbours that are close to each other are small, and so are dates on whole
 * days. A segment that cannot hold a new entry is encoded again, which takes some microseconds.
 * Nothing else is ever moved or copied, however long the column becomes.
 */

import type { PackedColumn, PackedSegment } from '../log/packed-fold.ts';

/** The number of entries of a segment. */
export const SEGMENT_ENTRIES = 16_384;
const MASK = SEGMENT_ENTRIES - 1;

/**
 * Entries are integers between the negative of this number and itself, excluding both: so all that is
 * computed with them is exact.
 */
export const ENTRY_LIMIT = 2 ** 51;

/** Stands for the offsets of a segment in which all are 0. */
const ZEROS = new Uint8Array(SEGMENT_ENTRIES);

type Offsets = PackedSegment['offsets'];

interface Segment extends PackedSegment {
  /** The highest offset that it can hold. */
  readonly highest: number;
}

/** A segment without entries. */
const EMPTY: Segment = { base: 0, unit: 1, highest: 0, offsets: ZEROS };

/**
 * The units that are tried, in milliseconds: a day, a minute, a second, and one. Dates are often whole
 * ones of these.
 */
const UNITS: readonly number[] = [86_400_000, 60_000, 1_000, 1];

/**
 * The kinds of offsets, and the highest of each. An entry that is far from the others is stored in
 * the last one, as itself.
 */
const KINDS = [
  { kind: Uint8Array, highest: 2 ** 8 - 1 },
  { kind: Uint16Array, highest: 2 ** 16 - 1 },
  { kind: Uint32Array, highest: 2 ** 32 - 1 },
] as const;
const HIGHEST_FAR = 2 * ENTRY_LIMIT;

/**
 * A column. Entries are integers within {@link ENTRY_LIMIT}; one that was never set is NaN if the column
 * is sparse, and unspecified otherwise.
 */
export class Column {
  readonly #segments: Segment[];
  /** The offset 0 stands for no entry in a sparse column. */
  readonly #lowest: 0 | 1;
  #length: number;

  /** @param kind That of the column that was packed, if any. In a sparse one, entries may be absent. */
  constructor(packed?: PackedColumn, kind: 'dense' | 'sparse' = 'dense') {
    this.#lowest = kind === 'sparse' ? 1 : 0;
    this.#length = packed?.length ?? 0;
    this.#segments = packed?.segments.map(unpacked) ?? [];
  }

  /** One more than the highest index that was set. */
  get length(): number {
    return this.#length;
  }

  /** Returns a copy, from which the column can be restored. */
  pack(): PackedColumn {
    const segments = this.#segments.map(({ base, unit, offsets }, place) => {
      const used = offsets === ZEROS ? 0 : this.#usedIn(place);
      return { base, unit, offsets: offsets.slice(0, used) };
    });
    return { length: this.#length, segments };
  }

  get(index: number): number {
    const segment = this.#segments[placeOf(index)];
    if (segment === undefined) return Number.NaN;
    const offset = segment.offsets[index & MASK] as number;
    return offset < this.#lowest ? Number.NaN : segment.base + segment.unit * offset;
  }

  /** Writes the entries at the first `count` indexes to the front of `into`. */
  read(indexes: Uint32Array, count: number, into: Float64Array): void {
    for (let at = 0; at < count; ) {
      const begin = (indexes[at] as number) & ~MASK;
      const { base, unit, offsets } = this.#segments[begin / SEGMENT_ENTRIES] ?? EMPTY;
      for (; at < count; at++) {
        const inner = (indexes[at] as number) - begin;
        if (inner < 0 || inner >= SEGMENT_ENTRIES) break;
        const offset = offsets[inner] as number;
        into[at] = offset < this.#lowest ? Number.NaN : base + unit * offset;
      }
    }
  }

  /** Sets an entry: one that is there, or the next one; in a sparse column also a later one. */
  set(index: number, value: number): void {
    const place = placeOf(index);
    while (place >= this.#segments.length) this.#segments.push(EMPTY);
    let segment = this.#segments[place] as Segment;
    let offset = (value - segment.base) / segment.unit;
    if (!(offset >= this.#lowest && offset <= segment.highest && offset === Math.floor(offset))) {
      segment = this.#encoded(segment, this.#usedIn(place), value);
      this.#segments[place] = segment;
      offset = (value - segment.base) / segment.unit;
    }
    if (segment.highest > 0) segment.offsets[index & MASK] = offset;
    if (index >= this.#length) this.#length = index + 1;
  }

  /**
   * Writes those of the first `count` indexes whose entries are in a range to the front of `into`,
   * which may be the same array, and returns their number. An entry that is not there is in no range.
   * @param end The range ends below it.
   */
  within(
    indexes: Uint32Array,
    count: number,
    into: Uint32Array,
    lowest: number,
    end: number,
  ): number {
    let passed = 0;
    for (let at = 0; at < count; ) {
      const begin = (indexes[at] as number) & ~MASK;
      const { base, unit, offsets } = this.#segments[begin / SEGMENT_ENTRIES] ?? EMPTY;
      const from = Math.max(this.#lowest, Math.ceil((lowest - base) / unit));
      const to = (end - base) / unit;
      for (; at < count; at++) {
        const index = indexes[at] as number;
        const inner = index - begin;
        if (inner < 0 || inner >= SEGMENT_ENTRIES) break;
        const offset = offsets[inner] as number;
        if (offset >= from && offset < to) into[passed++] = index;
      }
    }
    return passed;
  }

  #usedIn(place: number): number {
    return Math.min(SEGMENT_ENTRIES, this.#length - place * SEGMENT_ENTRIES);
  }

  /** Returns a segment with the same entries that can hold another value. */
  #encoded(old: Segment, used: number, value: number): Segment {
    let [min, max, unit] = [value, value, UNITS[0] as number];
    for (let at = 0; at < used; at++) {
      const offset = old.offsets[at] as number;
      if (offset < this.#lowest) continue;
      const known = old.base + old.unit * offset;
      while ((known - value) % unit !== 0) unit = UNITS[UNITS.indexOf(unit) + 1] as number;
      if (known < min) min = known;
      else if (known > max) max = known;
    }
    const segment = this.#emptyFor(min, max, unit, value);
    if (segment.highest === 0) return segment;
    for (let at = 0; at < used; at++) {
      const offset = old.offsets[at] as number;
      if (offset < this.#lowest) continue;
      segment.offsets[at] = (old.base + old.unit * offset - segment.base) / segment.unit;
    }
    return segment;
  }

  /**
   * Returns a segment that can hold all multiples of a unit from `min` to `max`. Of the offsets that
   * remain, most are on the side on which the newest value has come, and a quarter is on the other:
   * so a segment is encoded a few times at most, in whatever order its entries come.
   */
  #emptyFor(min: number, max: number, unit: number, newest: number): Segment {
    const needed = (max - min) / unit + this.#lowest;
    if (needed === 0) return { ...EMPTY, base: min, unit };
    for (const { kind, highest } of KINDS) {
      if (needed > highest) continue;
      const free = highest - needed;
      const share = newest === min && newest !== max ? 3 / 4 : 1 / 4;
      const below = Math.min(Math.floor(share * free), Math.floor((min + ENTRY_LIMIT) / unit));
      const base = min - (below + this.#lowest) * unit;
      return { base, unit, highest, offsets: new kind(SEGMENT_ENTRIES) };
    }
    const offsets = new Float64Array(SEGMENT_ENTRIES);
    return { base: -ENTRY_LIMIT, unit: 1, highest: HIGHEST_FAR, offsets };
  }
}

/** Returns copies of columns, under the same names. */
export function packAll<Columns extends { readonly [Name in keyof Columns]: { pack(): unknown } }>(
  columns: Columns,
): { [Name in keyof Columns]: ReturnType<Columns[Name]['pack']> } {
  const packed = Object.entries<{ pack(): unknown }>(columns).map(([name, column]) => {
    return [name, column.pack()];
  });
  return Object.fromEntries(packed);
}

/** Returns a segment that can hold all entries again: a packed one is as short as its entries. */
function unpacked({ base, unit, offsets }: PackedSegment): Segment {
  if (offsets.length === 0) return { ...EMPTY, base, unit };
  const highest = KINDS.find(({ kind }) => offsets instanceof kind)?.highest ?? HIGHEST_FAR;
  if (offsets.length === SEGMENT_ENTRIES) return { base, unit, highest, offsets };
  const whole = new (offsets.constructor as new (length: number) => Offsets)(SEGMENT_ENTRIES);
  whole.set(offsets as never);
  return { base, unit, highest, offsets: whole };
}

/** Returns the place of the segment with an entry. Its quotient is a shift where indexes are small. */
function placeOf(index: number): number {
  return (index / SEGMENT_ENTRIES) >>> 0;
}
