/** The port to a store under examination, and the types of what it contains. */

import type { Epochs } from '../log/epochs.ts';
import type { RecordedEvent, StoredFields } from '../log/recorded-event.ts';
import type { SignedWith } from './signing-keys.ts';

/**
 * The port to a store under examination: everything stored, as of one moment, while a server may be
 * using it. It is read-only, and nothing that it returns may be trusted.
 */
export interface Evidence {
  readonly storeId: string;
  readonly decode: DecodeStrictly;
  /** The log's epochs, as far as they can be read. */
  readonly epochs: Epochs;
  /** The last position. */
  readonly last: number;
  /**
   * Yields all events by position, in chunks. Throws {@link DamagedEvidence} if the rest cannot be
   * read.
   */
  events(): Iterable<readonly StoredRow[]> | AsyncIterable<readonly StoredRow[]>;
  /** The stored nodes of the log's tree; `undefined` if an older version stored none. */
  readonly tree: StoredTree | undefined;
  /**
   * Builds the tree over all events in another thread, as of the same moment. Resolves with
   * `undefined` if that is not possible. Must be called at most once.
   * @param sizes The sizes at which the root is needed.
   */
  treeAside?(sizes: readonly number[]): Promise<TreeAside | undefined>;
  /** The last acknowledged event, as noted outside of the database. */
  readonly acknowledged: OutsideHead | undefined;
  /** The keys that the store has signed with, as it records them; absent if that cannot be read. */
  readonly signedWith?: readonly SignedWith[] | undefined;
  /** Flaws of everything but the events and their tree, each as a clause. */
  readonly flaws: readonly string[];
  close(): void | Promise<void>;
}

/** A stored event, with the column in which an engine stores a value a second time. */
export interface StoredRow extends StoredFields {
  /** The id of its order, a string beyond 2^53; absent if the engine has no such column. */
  readonly orderId?: number | string;
}

/**
 * Reads a stored event. Throws {@link UnreadableEvent} unless its texts are exactly as the service
 * writes them.
 */
export type DecodeStrictly = (stored: StoredFields) => RecordedEvent;

/** The stored nodes of a log's tree. */
export interface StoredTree {
  /** The right edge: see {@link Frontier.pack}. */
  readonly edge: Uint8Array;
  readonly nodes: number;
  /** Returns the hash of a node; `undefined` where it is missing. */
  nodeAt(height: number, place: number): Uint8Array | undefined;
}

/** A tree that was built in another thread. */
export interface TreeAside {
  /** True if the stored nodes are exactly those of these events. */
  readonly fits: boolean;
  readonly root: Uint8Array;
  /** The root at each requested size. */
  readonly roots: ReadonlyMap<number, Uint8Array>;
}

/** The size of the log, and its root if known, according to a source outside of it. */
export interface OutsideHead {
  /** The source, for people, such as the name of a file. */
  readonly name: string;
  readonly size: number;
  readonly root: Uint8Array | undefined;
}

/** Thrown if the rest of a store cannot be read. */
export class DamagedEvidence extends Error {
  override readonly name = 'DamagedEvidence';
}
