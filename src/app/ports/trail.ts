import type { TreeSource } from '../audit/merkle-proofs.ts';
import type { TreeHead } from '../audit/merkle-tree.ts';
import type { StoredFields } from '../audit/record.ts';

/**
 * The port to the log as auditors see it: not what its events mean, but the exact texts that are
 * stored and the Merkle tree over them. Every engine behind it passes the suite in
 * test/contract/trail.ts.
 */
export interface Trail extends TreeSource {
  /**
   * The first events after a position as they are stored, at most `limit`, none beyond the head.
   * Throws {@link UnreadableEvent} where one is missing.
   */
  stored(after: number, limit: number): Promise<readonly StoredFields[]>;

  /** The tree's size, which is the position of the newest event, and its root. */
  treeHead(): Promise<TreeHead>;
}
