/** The image: the state of every order in memory, folded from the log, and its types. */

import { type Instant, instantAt } from '../../domain/instant.ts';
import { type CancelReason, type OrderEvent, type OrderState, order } from '../../domain/order.ts';
import { MAX_INT64, type OrderId } from '../../domain/order-id.ts';
import { LIVES, type OrderStatus, STATUSES, versionAfter } from '../../domain/order-lives.ts';
import type { PackedImage } from '../log/packed-fold.ts';
import { MAX_POSITION } from '../log/positions.ts';
import {
  EVENT_TYPES,
  type FoldInput,
  foldInputOf,
  type RecordedEvent,
  requireNext,
} from '../log/recorded-event.ts';
import { packAll } from './column.ts';
import { IdIndex } from './id-index.ts';
import {
  type ImageColumns,
  imageColumns,
  placedPosition,
  reasonOf,
  requirePossible,
  STATUS_AFTER,
  statusEntry,
  statusIndexOf,
  statusOf,
} from './image-columns.ts';
import type { RecordedOrders } from './recorded-orders.ts';

/**
 * The state of every order: a fold of the log, and nothing that is not in the log. It is lost with
 * the process and can be folded again at the next start. The write side decides on it, and the list
 * shows it. Its columns take 5 to 12 bytes an order, and the index from ids to slots none where ids
 * count up, 18 to 36 otherwise. So a million orders are a few hundred objects for the garbage
 * collector, and pass from thread to thread at the cost of a copy.
 */
export class OrderImage implements RecordedOrders {
  #position: number;
  #lastAt: number;
  #highestId: OrderId;
  #highestFreeId = MAX_INT64 as OrderId;
  #slots: IdIndex;
  /** The columns, for readers. */
  readonly columns: ImageColumns;
  /** The number of orders of each status. */
  readonly #byStatus = STATUSES.map(() => 0);

  constructor(packed?: PackedImage) {
    this.#position = packed?.position ?? 0;
    this.#lastAt = packed?.lastAt ?? NaN;
    this.#highestId = (packed?.highestId ?? 0n) as OrderId;
    this.#slots = new IdIndex(packed?.slots);
    this.columns = imageColumns(packed?.columns);
    for (let slot = 0; slot < this.size; slot++) this.#count(this.#statusIndexAt(slot), 1);
  }

  /** Returns a copy, for another thread. */
  pack(): PackedImage {
    return {
      position: this.#position,
      lastAt: this.#lastAt,
      highestId: this.#highestId,
      slots: this.#slots.pack(),
      columns: packAll(this.columns),
    };
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#position;
  }

  /** The time of recording of the last event folded in; `undefined` before the first. */
  get lastAt(): Instant | undefined {
    return instantAt(this.#lastAt);
  }

  /** The number of orders. Their slots count from 0, in the order in which they were placed. */
  get size(): number {
    return this.#slots.size;
  }

  /** Returns the number of events of each type. */
  eventCounts(): readonly (readonly [type: OrderEvent['type'], count: number])[] {
    return EVENT_TYPES.map((type) => {
      const counts = this.#byStatus.filter((_, status) =>
        LIVES[STATUSES[status] as OrderStatus].includes(type),
      );
      return [type, counts.reduce((sum, count) => sum + count, 0)];
    });
  }

  /** The highest id of any order, at least 0: ids that the service assigns are positive. */
  get highestId(): OrderId {
    return this.#highestId;
  }

  /**
   * Returns the highest id up to `top` that no order has, for a `top` that is the same each time.
   * Orders never vanish, so the search never starts over.
   */
  highestFreeId(top: bigint = MAX_INT64): OrderId {
    if (this.#highestFreeId > top) this.#highestFreeId = top as OrderId;
    while (this.version(this.#highestFreeId) > 0) {
      this.#highestFreeId = (this.#highestFreeId - 1n) as OrderId;
    }
    return this.#highestFreeId;
  }

  /** Returns the slot of an order, or −1. */
  slotOf(orderId: OrderId): number {
    return this.#slots.slotOf(orderId);
  }

  /** Returns the state of an order; the initial state where there is none. */
  state(orderId: OrderId): OrderState {
    return this.stateAt(this.#slots.slotOf(orderId));
  }

  /** Returns the number of events of an order; 0 where there is no such order. */
  version(orderId: OrderId): number {
    const slot = this.#slots.slotOf(orderId);
    return slot === -1 ? 0 : this.versionAt(slot);
  }

  /** Returns the number of events of the order at a slot. */
  versionAt(slot: number): number {
    return versionAfter(this.statusAt(slot));
  }

  /**
   * Returns the position of the event that brought an order to a version: by the law of
   * {@link MAX_EVENTS_PER_ORDER} the one that placed it, or the one that ended it.
   */
  positionOf(orderId: OrderId, version: number): number {
    const slot = this.slotOf(orderId);
    return version === 1 ? this.placedAt(slot) : this.columns.endPositions.get(slot);
  }

  /** Returns the position of the event that placed the order at a slot. */
  placedAt(slot: number): number {
    return placedPosition(this.columns, slot);
  }

  statusAt(slot: number): OrderStatus {
    return statusOf(this.columns.statuses.get(slot));
  }

  /** Returns the reason for which an order was cancelled, if one was given. */
  reasonAt(slot: number): CancelReason | undefined {
    return reasonOf(this.columns.statuses.get(slot));
  }

  /** Returns the date on which an order has shipped; `undefined` before. */
  shipDateAt(slot: number): Instant | undefined {
    return instantAt(this.columns.shipDates.get(slot));
  }

  #statusIndexAt(slot: number): number {
    return statusIndexOf(this.columns.statuses.get(slot));
  }

  #count(status: number, orders: 1 | -1): void {
    (this.#byStatus[status] as number) += orders;
  }

  /**
   * Folds a recorded event in and returns its order's slot. Throws an Error unless it follows the
   * position without a gap, and {@link ImpossibleEvent} if its order's earlier events forbid it.
   */
  fold(recorded: RecordedEvent): number {
    return this.foldInput(foldInputOf(recorded));
  }

  /** Folds an event in: see {@link fold}. */
  foldInput(input: FoldInput): number {
    const { position, type, orderId, shipDate, reason, at } = input;
    requireNext(position, this.#position);
    if (position > MAX_POSITION)
      throw new Error(`position ${position} is beyond what an image holds`);
    const next = this.#slots.size;
    const slot = type === 'OrderPlaced' ? this.#slots.add(orderId) : this.#slots.slotOf(orderId);
    const isNew = slot === next;
    requirePossible(position, input, isNew || slot === -1 ? undefined : this.statusAt(slot));
    if (isNew) this.columns.placedPositions.set(slot, position - slot);
    else {
      this.#count(this.#statusIndexAt(slot), -1);
      this.columns.endPositions.set(slot, position);
    }
    this.#count(STATUS_AFTER[type], 1);
    this.columns.statuses.set(slot, statusEntry(type, reason));
    // A check of the log alone folds events without their dates.
    const isDated = type === 'OrderShipped' && !Number.isNaN(shipDate);
    if (isDated) this.columns.shipDates.set(slot, shipDate);
    if (orderId > this.#highestId) this.#highestId = orderId;
    this.#position = position;
    this.#lastAt = at;
    return slot;
  }

  /** Returns the state at a slot; at −1 that of an order that was never placed. */
  stateAt(slot: number): OrderState {
    if (slot === -1) return order.initial;
    const status = this.statusAt(slot);
    if (status === 'shipped') return { status, shipDate: this.shipDateAt(slot) as Instant };
    const reason = this.reasonAt(slot);
    return reason === undefined ? { status } : { status: 'cancelled', reason };
  }
}
