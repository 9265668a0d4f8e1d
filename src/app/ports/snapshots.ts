/** The port to the snapshots of the order list. */

import type { PackedList } from '../log/packed-fold.ts';

/**
 * The port to the place where the fold of the log is stored between two starts, so that a start
 * reads only the events that were recorded since. A snapshot can be deleted at any time: everything
 * in it follows from the log, and one that does not match the log is not used.
 */
export interface Snapshots {
  /**
   * Returns the newest snapshot of this log that can be trusted, or the reason why there is none.
   */
  load(): Promise<LoadedSnapshot>;
  /**
   * Replaces the snapshot. If it fails, or the process ends meanwhile, the old one stays. Absent
   * where none is stored: then nobody needs to copy the list for it.
   */
  save?(list: PackedList): Promise<void>;
}

export type LoadedSnapshot =
  | { readonly kind: 'found'; readonly list: PackedList }
  | { readonly kind: 'none'; readonly reason: string };
