/** The port to the snapshots of the order list. */

import type { PackedList } from '../log/packed-fold.ts';

/**
 * The port to the storage of a snapshot: the fold of the log at one position, so that a start only
 * reads the events after it. A snapshot may be deleted at any time: all of it follows from the log,
 * and one that does not match the log is not used.
 */
export interface Snapshots {
  /** Returns the snapshot if it is valid and of this log, or else the reason why there is none. */
  load(): Promise<LoadedSnapshot>;
  /**
   * Replaces the snapshot, atomically: after a failure or a crash the old one is still there.
   * Absent if the engine stores none, so that no caller copies the list for it.
   */
  save?(list: PackedList): Promise<void>;
}

export type LoadedSnapshot =
  | { readonly kind: 'found'; readonly list: PackedList }
  | { readonly kind: 'none'; readonly reason: string };
