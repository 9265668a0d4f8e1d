import type { DecodeStrictly, StoredRow } from '../audit/event-rules.ts';
import type { KeptTree } from '../audit/kept-tree.ts';
import type { ExpectedHead } from '../audit/trail-check.ts';
import type { Epochs } from '../epochs.ts';

/**
 * The port to a store as it lies in its place, for those who check it: all that stands there, as of
 * one moment, whether or not a server is using it. Nothing in it is ever changed through this, and
 * nothing of it is taken to be true.
 */
export interface Evidence {
  readonly storeId: string;
  readonly decode: DecodeStrictly;
  /** Those that the log has been in, as far as they can be read. */
  readonly epochs: Epochs;
  /** The last position. */
  readonly last: number;
  /** Every event, by position, in chunks. Throws {@link DamagedEvidence} where it cannot go on. */
  events(): Iterable<readonly StoredRow[]> | AsyncIterable<readonly StoredRow[]>;
  /** What is kept of the log's tree; `undefined` where an older version kept none. */
  readonly tree: KeptTree | undefined;
  /**
   * Makes the tree over the events up to the last in another thread, as of the same moment.
   * `undefined` where that cannot be had. Only to be asked once.
   * @param sizes The sizes at which its root is wanted.
   */
  treeAside?(sizes: readonly number[]): Promise<TreeAside | undefined>;
  /** What was acknowledged, as it is noted outside of the database. */
  readonly acknowledged: ExpectedHead | undefined;
  /** What is wrong beside the events and their tree, in plain words. */
  readonly flaws: readonly string[];
  close(): void | Promise<void>;
}

/** A tree that was made in another thread. */
export interface TreeAside {
  /** Whether all that is kept of the tree is of these events, and of no others. */
  readonly fits: boolean;
  readonly root: Uint8Array;
  /** The root at each of the sizes that it has had. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
}

/** What lies there cannot be read any further. */
export class DamagedEvidence extends Error {
  override readonly name = 'DamagedEvidence';
}
