import type { DecodeStrictly, StoredRow } from '../audit/event-rules.ts';
import type { KeptTree } from '../audit/kept-tree.ts';
import type { ExpectedHead } from '../audit/trail-check.ts';

/**
 * The port to a store as it lies on the disk, for those who check it: all that stands there, as of
 * one moment, whether or not a server is using it. Nothing in it is ever changed through this, and
 * nothing of it is taken to be true.
 */
export interface Evidence {
  readonly storeId: string;
  readonly decode: DecodeStrictly;
  /** The last position. */
  readonly last: number;
  /** Every event, by position, in chunks. Throws {@link DamagedEvidence} where it cannot go on. */
  events(): Iterable<readonly StoredRow[]>;
  /** What is kept of the log's tree; `undefined` where an older version kept none. */
  readonly tree: KeptTree | undefined;
  /** What was acknowledged, as it is noted outside of the database. */
  readonly acknowledged: ExpectedHead | undefined;
  /** What is wrong beside the events and their tree, in plain words. */
  readonly flaws: readonly string[];
  close(): void;
}

/** What lies there cannot be read any further. */
export class DamagedEvidence extends Error {
  override readonly name = 'DamagedEvidence';
}
