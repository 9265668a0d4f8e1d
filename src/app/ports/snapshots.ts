import type { PackedList } from '../order-list.ts';

/**
 * The port to the place where the fold of the log is kept between two starts, so that a start
 * reads only what was recorded since. A snapshot can be deleted at any time: it holds nothing that
 * does not follow from the log, and whatever does not fit the log is not used.
 */
export interface Snapshots {
  /** The newest snapshot of this log that can be trusted, or why there is none. */
  load(): Promise<LoadedSnapshot>;
  /**
   * Replaces the snapshot. If this fails, or the process ends meanwhile, the old one stays. Absent where
   * none is kept: then nobody needs to copy the list for it.
   */
  save?(list: PackedList): Promise<void>;
}

export type LoadedSnapshot =
  | { readonly kind: 'found'; readonly list: PackedList }
  | { readonly kind: 'none'; readonly reason: string };
