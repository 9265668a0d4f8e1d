import { type Instant, instantAt } from '../domain/instant.ts';
import { type OrderEvent, type OrderState, order } from '../domain/order.ts';
import { MAX_INT64, type OrderId } from '../domain/order-id.ts';
import { copied } from './columns.ts';
import { type EventFacts, factsOf } from './event-facts.ts';
import { Int64Index, type Int64Table } from './int64-index.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** What can become of an order once it is placed. */
export type OrderStatus = Exclude<OrderState['status'], 'none'>;

/** Every status, at the number that stands for it in a column. */
export const STATUSES = ['pending', 'shipped', 'cancelled'] as const satisfies OrderStatus[];

/** An image as it travels from one thread to another: nothing but numbers and arrays of them. */
export interface PackedImage {
  readonly position: number;
  /** Milliseconds since 1970; NaN before the first event. */
  readonly lastAt: number;
  readonly highestId: bigint;
  readonly slots: Int64Table;
  readonly columns: Columns;
}

/** One entry for each order, at its slot. */
interface Columns {
  readonly statuses: Uint8Array<ArrayBuffer>;
  /** Milliseconds since 1970; NaN where there is no date. */
  readonly shipDates: Float64Array<ArrayBuffer>;
  readonly versions: Uint32Array<ArrayBuffer>;
  /** Where in the log its first and its last event stand. */
  readonly placedPositions: Uint32Array<ArrayBuffer>;
  readonly lastPositions: Uint32Array<ArrayBuffer>;
}

const NO_ORDERS: Columns = {
  statuses: new Uint8Array(),
  shipDates: new Float64Array(),
  versions: new Uint32Array(),
  placedPositions: new Uint32Array(),
  lastPositions: new Uint32Array(),
};

/** The status after an event of each type, by its number: whatever the order was before it. */
const STATUS_AFTER = {
  OrderPlaced: statusAfter('OrderPlaced'),
  OrderShipped: statusAfter('OrderShipped'),
  OrderCancelled: statusAfter('OrderCancelled'),
};

function statusAfter(type: OrderEvent['type']): number {
  const { status } = order.evolve(order.initial, { type } as OrderEvent);
  return STATUSES.indexOf(status as OrderStatus);
}

/** What a column can hold. An image of so many events would take more than 50 GB. */
const MAX_POSITION = 2 ** 32 - 1;

/**
 * What the log says of every order's state: its fold, and nothing that is not in the log. It is
 * thrown away with the process and folded anew at the next start. The write side decides on it,
 * and the list shows it. It keeps columns of numbers, 21 bytes an order and about 25 for the way
 * from ids to slots, so that a million orders are a few objects for the garbage collector, and are
 * handed from thread to thread at the cost of a copy.
 */
export class OrderImage {
  #position: number;
  #lastAt: number;
  #highestId: OrderId;
  #highestFreeId = MAX_INT64 as OrderId;
  #slots: Int64Index;
  #columns: Columns;

  constructor(packed?: PackedImage) {
    this.#position = packed?.position ?? 0;
    this.#lastAt = packed?.lastAt ?? NaN;
    this.#highestId = (packed?.highestId ?? 0n) as OrderId;
    this.#slots = new Int64Index(packed?.slots);
    this.#columns = packed?.columns ?? NO_ORDERS;
  }

  /** A copy, for another thread. */
  pack(): PackedImage {
    return {
      position: this.#position,
      lastAt: this.#lastAt,
      highestId: this.#highestId,
      slots: this.#slots.pack(),
      columns: grown(this.#columns, this.#columns.versions.length),
    };
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#position;
  }

  /** When the last event folded in was recorded. */
  get lastAt(): Instant | undefined {
    return instantAt(this.#lastAt);
  }

  /** How many orders there are. Their slots count from 0, in the order in which they were placed. */
  get size(): number {
    return this.#slots.size;
  }

  /** The highest id of any order, at least 0: ids that the service assigns are positive. */
  get highestId(): OrderId {
    return this.#highestId;
  }

  /**
   * The highest id up to `top` that no order has, for a `top` that is the same each time. Orders never
   * vanish, so the search never starts over.
   */
  highestFreeId(top: bigint = MAX_INT64): OrderId {
    if (this.#highestFreeId > top) this.#highestFreeId = top as OrderId;
    while (this.version(this.#highestFreeId) > 0) {
      this.#highestFreeId = (this.#highestFreeId - 1n) as OrderId;
    }
    return this.#highestFreeId;
  }

  /** The slot of an order, or −1. */
  slotOf(orderId: OrderId): number {
    return this.#slots.slotOf(orderId);
  }

  state(orderId: OrderId): OrderState {
    return this.stateAt(this.#slots.slotOf(orderId));
  }

  /** How many events the order has; 0 where there is no such order. */
  version(orderId: OrderId): number {
    return this.#columns.versions[this.#slots.slotOf(orderId)] ?? 0;
  }

  /** The columns as they are now, up to the next event: to be read, and not kept. */
  get columns(): Columns {
    return this.#columns;
  }

  versionAt(slot: number): number {
    return this.#columns.versions[slot] as number;
  }

  /**
   * Where in the log the event stands that brought an order to a version. An order has two events
   * at most: the one that placed it, and the one that shipped or cancelled it.
   */
  positionOf(orderId: OrderId, version: number): number {
    const { placedPositions, lastPositions } = this.#columns;
    return (version === 1 ? placedPositions : lastPositions)[this.slotOf(orderId)] as number;
  }

  statusAt(slot: number): OrderStatus {
    return STATUSES[this.#columns.statuses[slot] as number] as OrderStatus;
  }

  /** When the order is expected to ship, and once it is shipped, when it did. */
  shipDateAt(slot: number): Instant | undefined {
    return instantAt(this.#columns.shipDates[slot] as number);
  }

  /**
   * Folds a recorded event in and tells its order's slot. Events must follow the position, without
   * a gap, and an order's first event places it; what a log does not say is not made up.
   */
  fold(recorded: RecordedEvent): number {
    return this.foldFacts(factsOf(recorded));
  }

  /** The same by what a fold takes in of an event. */
  foldFacts({ position, version, type, orderId, shipDate, at }: EventFacts): number {
    if (position !== this.#position + 1) {
      throw new Error(`position ${position} does not follow position ${this.#position}`);
    }
    if (position > MAX_POSITION)
      throw new Error(`position ${position} is beyond what an image holds`);
    const next = this.#slots.size;
    const slot = type === 'OrderPlaced' ? this.#slots.add(orderId) : this.#slots.slotOf(orderId);
    if (slot === -1) throw new Error(`${type} of order ${orderId}, which was never placed`);
    const isNew = slot === next;
    if (type === 'OrderPlaced' && !isNew) throw new Error(`order ${orderId} was placed twice`);
    if (slot === this.#columns.versions.length)
      this.#columns = grown(this.#columns, Math.max(1_024, slot * 2));
    this.#columns.statuses[slot] = STATUS_AFTER[type];
    this.#columns.versions[slot] = version;
    if (isNew) this.#columns.placedPositions[slot] = position;
    this.#columns.lastPositions[slot] = position;
    if (type !== 'OrderCancelled') this.#columns.shipDates[slot] = shipDate;
    if (orderId > this.#highestId) this.#highestId = orderId;
    this.#position = position;
    this.#lastAt = at;
    return slot;
  }

  /** The state at a slot; at −1 that of an order that was never placed. */
  stateAt(slot: number): OrderState {
    if (slot === -1) return order.initial;
    const status = this.statusAt(slot);
    return status === 'shipped'
      ? { status, shipDate: this.shipDateAt(slot) as Instant }
      : { status };
  }
}

/** A copy of columns, with room for so many orders. */
function grown(columns: Columns, length: number): Columns {
  const { statuses, shipDates, versions, placedPositions, lastPositions } = columns;
  return {
    statuses: copied(statuses, new Uint8Array(length)),
    shipDates: copied(shipDates, new Float64Array(length)),
    versions: copied(versions, new Uint32Array(length)),
    placedPositions: copied(placedPositions, new Uint32Array(length)),
    lastPositions: copied(lastPositions, new Uint32Array(length)),
  };
}
