/**
 * The fold of the log as plain data: the form in which it is written to a file, or passed from one
 * thread to another.
 */

/** The order list as it is written to a file: nothing but numbers and arrays of them. */
export interface PackedList {
  readonly image: PackedImage;
  /** One entry for each order, at its slot in the image. */
  readonly columns: {
    readonly ids: BigInt64Array<ArrayBuffer>;
    readonly petIds: BigInt64Array<ArrayBuffer>;
    readonly quantities: Int32Array<ArrayBuffer>;
    /** The ship date expected when the order was placed: milliseconds since 1970, or NaN. */
    readonly expectedDates: Float64Array<ArrayBuffer>;
  };
  readonly timeline: PackedTimeline;
  readonly chunks: PackedChunks;
}

/** The times of all events, and the positions of those that are cancellations. */
export interface PackedTimeline {
  /** The time of recording of each event, by position from 1: milliseconds since 1970, ascending. */
  readonly times: Float64Array<ArrayBuffer>;
  /** The positions of all cancellations, ascending. */
  readonly cancellations: Uint32Array<ArrayBuffer>;
}

/** The slots of all orders by ascending id, and the number of them in each chunk of the list. */
export interface PackedChunks {
  readonly counts: Uint32Array;
  readonly slots: Uint32Array;
}

/** The image of all orders' states as it is passed from one thread to another. */
export interface PackedImage {
  readonly position: number;
  /** The time of recording of the last event: milliseconds since 1970; NaN before the first. */
  readonly lastAt: number;
  readonly highestId: bigint;
  readonly slots: PackedIndex;
  /** One entry for each order, at its slot. */
  readonly columns: {
    readonly statuses: Uint8Array<ArrayBuffer>;
    /** The place of a cancellation's reason in the list of all, from 1; 0 where there is none. */
    readonly reasons: Uint8Array<ArrayBuffer>;
    /** Milliseconds since 1970; NaN where there is no date. */
    readonly shipDates: Float64Array<ArrayBuffer>;
    /** The positions of its first and of its last event. */
    readonly placedPositions: Uint32Array<ArrayBuffer>;
    readonly lastPositions: Uint32Array<ArrayBuffer>;
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
