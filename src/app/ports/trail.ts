import type { TreeSource } from '../log/merkle-proofs.ts';
import type { TreeHead } from '../log/merkle-tree.ts';
import type { StoredFields } from '../log/recorded-event.ts';

/**
 * The port to the log as auditors need it: the exact stored texts of its events, and the Merkle
 * tree over them. Every engine passes the suite in test/contract/trail.ts.
 */
export interface Trail extends TreeSource {
  /**
   * Returns the first events after a position as they are stored, at most `limit`, none beyond the
   * head. Throws {@link UnreadableEvent} where one is missing.
   */
  stored(after: number, limit: number): Promise<readonly StoredFields[]>;

  /**
   * Returns the `traceparent` of the request that led to an event, for those of these positions that
   * have one. Nothing proves it: it is in no record, and a client has chosen it.
   */
  traces(positions: readonly number[]): Promise<ReadonlyMap<number, string>>;

  /** Returns the tree's size, which is the position of the newest event, and its root. */
  treeHead(): Promise<TreeHead>;
}
