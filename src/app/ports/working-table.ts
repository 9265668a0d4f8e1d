/**
 * The port to a table on disk for the work of one command: it holds more than fits into memory, and it
 * is gone when the command has ended, however it ends.
 */

/** A key of 64 bits with its text. */
export type Entry = readonly [key: bigint, text: string];

/** Keys with a text each, in the order in which they were added. */
export interface WorkingTable {
  /** The number of keys. */
  readonly size: number;

  /**
   * Adds entries, except those whose key the table has already, or has by an entry before.
   * Returns these. No two entries with the same key may have the same text.
   */
  add(entries: readonly Entry[]): readonly Entry[];

  /** Adds entries, or replaces the texts of the keys that the table has. */
  put(entries: Iterable<Entry>): void;

  /** Returns the text of a key. */
  get(key: bigint): string | undefined;

  /** Returns the texts of those keys that the table has. */
  getAll(keys: Iterable<bigint>): ReadonlyMap<bigint, string>;

  /** Yields all entries, some at a time, in the order in which they were added. */
  pages(): Iterable<readonly Entry[]>;

  /** Returns the highest key; `undefined` where there is none. */
  highestKey(): bigint | undefined;

  close(): void;
}
