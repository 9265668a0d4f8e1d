/**
 * The fold of the log as plain data: the form in which it is written to a file, or passed from one
 * thread to another.
 */

/** The order list as it is written to a file: nothing but numbers and arrays of them. */
export interface PackedList {
  readonly image: PackedImage;
  /** One entry for each order, at its slot in the image. */
  readonly columns: {
    /** The id of each order less its slot. */
    readonly ids: PackedHalves;
    readonly petIds: PackedHalves;
    readonly quantities: PackedColumn;
    /** The ship date expected when the order was placed, milliseconds since 1970. Sparse. */
    readonly expectedDates: PackedColumn;
  };
  readonly timeline: PackedTimeline;
  readonly chunks: PackedChunks;
}

/** A column of integers: see Column. */
export interface PackedColumn {
  readonly length: number;
  readonly segments: readonly PackedSegment[];
}

/** Neighbouring entries of a column, each of which is `base + unit × offset`. */
export interface PackedSegment {
  readonly base: number;
  readonly unit: number;
  /** Empty where all are 0. */
  readonly offsets: Uint8Array | Uint16Array | Uint32Array | Float64Array;
}

/** A column of 64-bit integers, as the columns of their halves. */
export interface PackedHalves {
  readonly high: PackedColumn;
  readonly low: PackedColumn;
}

/** The times of all events, and the positions of those that are cancellations. */
export interface PackedTimeline {
  /** The time of recording of each event, by position from 1: milliseconds since 1970, ascending. */
  readonly times: PackedColumn;
  /** The positions of all cancellations, ascending. */
  readonly cancellations: PackedColumn;
}

/** The slots of all orders by ascending id, in the chunks of the list. */
export interface PackedChunks {
  /** The number of orders in each chunk. */
  readonly counts: Uint32Array;
  /** The first slot of each chunk whose slots are consecutive; {@link LISTED} for any other. */
  readonly firsts: Int32Array;
  /** The slots of the other chunks, one after another. */
  readonly slots: Uint32Array;
}

/** Stands for the first slot of a chunk whose slots are listed. */
export const LISTED = -1;

/** The image of all orders' states as it is passed from one thread to another. */
export interface PackedImage {
  readonly position: number;
  /** The time of recording of the last event: milliseconds since 1970; NaN before the first. */
  readonly lastAt: number;
  readonly highestId: bigint;
  readonly slots: PackedIndex;
  /** One entry for each order, at its slot. */
  readonly columns: {
    /** The status, and the reason of a cancellation: see ImageColumns. */
    readonly statuses: PackedColumn;
    /** The date on which it has shipped: milliseconds since 1970. Sparse. */
    readonly shipDates: PackedColumn;
    /** The position of its first event less its slot. */
    readonly placedPositions: PackedColumn;
    /** The position of its second event. Sparse. */
    readonly endPositions: PackedColumn;
  };
}

/** An index from 64-bit integers to slots: runs of consecutive ones, and a hash table of the others. */
export interface PackedIndex {
  readonly size: number;
  readonly runs: readonly PackedRun[];
  readonly open: PackedRun;
  readonly table: PackedTable;
}

/** Consecutive integers with consecutive slots. */
interface PackedRun {
  readonly first: number;
  readonly slot: number;
  readonly length: number;
}

/** A hash table from 64-bit integers to slots. */
export interface PackedTable {
  readonly table: Int32Array<ArrayBuffer>;
  readonly size: number;
}
