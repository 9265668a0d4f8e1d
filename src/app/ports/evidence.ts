/** The port to a store that is checked, with the types of what is checked. */

import type { Epochs } from '../log/epochs.ts';
import type { RecordedEvent, StoredFields } from '../log/recorded-event.ts';

/**
 * The port to a store for those who check it: all that is stored, as of one moment, while a server
 * may be using it. Nothing is ever changed through it, and nothing that it returns is taken to be
 * true.
 */
export interface Evidence {
  readonly storeId: string;
  readonly decode: DecodeStrictly;
  /** The log's epochs, as far as they can be read. */
  readonly epochs: Epochs;
  /** The last position. */
  readonly last: number;
  /**
   * Yields every event, by position, in chunks. Throws {@link DamagedEvidence} where it cannot go
   * on.
   */
  events(): Iterable<readonly StoredRow[]> | AsyncIterable<readonly StoredRow[]>;
  /** The stored nodes of the log's tree; `undefined` where an older version stored none. */
  readonly tree: StoredTree | undefined;
  /**
   * Builds the tree over the events up to the last in another thread, as of the same moment.
   * Resolves with `undefined` where that is not possible. Must be called once at most.
   * @param sizes The sizes at which its root is wanted.
   */
  treeAside?(sizes: readonly number[]): Promise<TreeAside | undefined>;
  /** The last acknowledged event, as it is noted outside of the database. */
  readonly acknowledged: AcknowledgedHead | undefined;
  /** Flaws beside those of the events and their tree, in plain words. */
  readonly flaws: readonly string[];
  close(): void | Promise<void>;
}

/** A stored event, and beside it the columns in which an engine stores a value a second time. */
export interface StoredRow extends StoredFields {
  /** The id of its order, as a text beyond 2^53; absent where there is no such column. */
  readonly orderId?: number | string;
}

/**
 * Reads a stored event whose texts are in the only form in which the service writes them. Throws
 * {@link UnreadableEvent} for any other.
 */
export type DecodeStrictly = (stored: StoredFields) => RecordedEvent;

/** The nodes of a log's tree that a store has written down. */
export interface StoredTree {
  /** The right edge: {@link Frontier.pack}. */
  readonly edge: Uint8Array;
  readonly nodes: number;
  /** Returns the hash of a node; `undefined` where it is missing. */
  nodeAt(height: number, place: number): Uint8Array | undefined;
}

/** A tree that was built in another thread. */
export interface TreeAside {
  /** True if all stored nodes are those of these events, and there are no others. */
  readonly fits: boolean;
  readonly root: Uint8Array;
  /** The root at each of the sizes that were asked for. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
}

/** The size of the log, and its root where that is known, by an account from outside of it. */
export interface AcknowledgedHead {
  /** The source of the account, for people: such as the name of a file. */
  readonly name: string;
  readonly size: number;
  readonly root: Uint8Array | undefined;
}

/** The rest of a store cannot be read. */
export class DamagedEvidence extends Error {
  override readonly name = 'DamagedEvidence';
}
