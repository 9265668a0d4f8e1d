import type { TreeSource } from '../log/merkle-proofs.ts';
import type { TreeHead } from '../log/merkle-tree.ts';
import type { StoredFields } from '../log/recorded-event.ts';

/**
 * The port to the log for auditors: the exact stored texts of its events, and the Merkle tree over
 * them. Every engine passes the suite in test/contract/trail.ts.
 */
export interface Trail extends TreeSource {
  /**
   * Returns the first events after a position exactly as stored, at most `limit`, up to the head.
   * Throws {@link UnreadableEvent} if one is missing.
   */
  stored(after: number, limit: number): Promise<readonly StoredFields[]>;

  /**
   * Returns the `traceparent`s of the requests that led to events, by position, for those of these
   * positions that have one. They are not proven: no record contains them, and clients choose them.
   */
  traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>>;

  /** Returns the tree's size, which is the position of the newest event, and its root. */
  treeHead(): Promise<TreeHead>;
}
