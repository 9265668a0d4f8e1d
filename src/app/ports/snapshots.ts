/** The port to the snapshots of the order list. */

import type { OrderState } from '../../domain/order.ts';
import type { OrderId } from '../../domain/order-id.ts';
import type { PackedList } from '../log/packed-fold.ts';

/**
 * The port to the storage of a snapshot: the fold of the log at one position, so that a start only
 * reads the events after it. A snapshot may be deleted at any time: all of it follows from the log,
 * and one that does not match the log is not used.
 */
export interface Snapshots {
  /**
   * Sets the secret with which snapshots are made: one that was made with another is not used. So nobody
   * can forge one who cannot sign for the log. Absent if the engine stores none.
   */
  sealWith?(key: Uint8Array): void;
  /** Returns the snapshot if it is valid and of this log, or else the reason why there is none. */
  load(): Promise<LoadedSnapshot>;
  /**
   * Replaces the snapshot, atomically: after a failure or a crash the old one is still there.
   * Absent if the engine stores none, so that no caller copies the list for it.
   */
  save?(list: PackedList): Promise<void>;
  /**
   * Replaces the snapshot by one of the log as it is now, beside all other work: it is made of the
   * present snapshot and the events since. Resolves with its position. No other call may be in progress.
   * Absent if the engine stores none. Rejects if there is no new one, or with the reason of the signal.
   */
  renew?(signal: AbortSignal): Promise<number>;
}

export type LoadedSnapshot =
  | { readonly kind: 'found'; readonly list: PackedList }
  | { readonly kind: 'none'; readonly reason: string };

/** The port to the search in a snapshot, of which it reads only what it has to. */
export interface SnapshotSearch {
  /** See {@link Snapshots.sealWith}. */
  sealWith(key: Uint8Array): void;
  /** Returns the events of an order by a snapshot that is valid and of this log, if there is one. */
  find(orderId: OrderId): Promise<FoundOrder>;
}

export interface FoundOrder {
  /** The position of the snapshot; 0 if there is none. */
  readonly position: number;
  /** The positions of the order's events up to there, ascending; none if there is no order. */
  readonly positions: readonly number[];
  /** Its status there. */
  readonly status?: Exclude<OrderState['status'], 'none'>;
}
