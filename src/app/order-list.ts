import { type Instant, instantAt, millisecondsOf } from '../domain/instant.ts';
import type { OrderEvent, OrderPlaced, OrderState } from '../domain/order.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { Int64Index } from './int64-index.ts';
import { OrderPages } from './order-pages.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** An order as its readers see it. */
export interface OrderView {
  readonly id: OrderId;
  readonly petId: PetId;
  readonly quantity: number;
  /** When it is expected to ship, and once it is shipped, when it did. */
  readonly shipDate: Instant | undefined;
  readonly status: Exclude<OrderState['status'], 'none'>;
}

/** An order with all that is known of it. */
export interface OrderDetails extends OrderView {
  /** How many events it has. */
  readonly version: number;
  /** When its events were recorded. */
  readonly placedAt: Instant;
  readonly shippedAt: Instant | undefined;
  readonly cancelledAt: Instant | undefined;
}

/** What is known of the orders, in arrays that are indexed by slot: to be read, and not kept. */
export interface OrderColumns {
  readonly petIds: BigInt64Array<ArrayBuffer>;
  /** {@link STATUSES} by index. */
  readonly statuses: Uint8Array;
  /** Milliseconds since 1970; NaN where there is no date. */
  readonly shipDates: Float64Array;
  /** Milliseconds since 1970. */
  readonly placedAt: Float64Array;
}

/** The whole list at one position of the log. It never changes after it was handed out. */
export interface ListSnapshot<Encoded> {
  readonly position: number;
  /** By order id, ascending; each page is a run of about a thousand orders. */
  readonly pages: readonly Encoded[];
}

/** Turns a page of orders, at least one, into what is sent; `first` where the list begins. */
export type EncodePage<Encoded> = (orders: readonly OrderView[], first: boolean) => Encoded;

export const STATUSES = ['pending', 'shipped', 'cancelled'] as const;

/**
 * The read side: every order ever placed, as a fold of the log, in columns (about 60 bytes an
 * order) and in pages that are already encoded the way they will be sent. An event makes its page
 * stale; a stale page is encoded again when the list is next asked for.
 */
export class OrderList<Encoded> {
  readonly #encode: EncodePage<Encoded>;
  readonly #slots = new Int64Index();
  readonly #pages: OrderPages<Encoded>;
  #ids = new BigInt64Array(1024);
  #petIds = new BigInt64Array(1024);
  #quantities = new Int32Array(1024);
  // Milliseconds since 1970; NaN where there is no date.
  #shipDates = new Float64Array(1024);
  #statuses = new Uint8Array(1024);
  // When the order was placed, and when it was shipped or cancelled: milliseconds since 1970.
  #placedAt = new Float64Array(1024);
  #endedAt = new Float64Array(1024);
  #versions = new Uint32Array(1024);
  #orders = 0;
  #position = 0;
  #snapshot: ListSnapshot<Encoded> | undefined;

  /** @param encode Turns a page of orders into what the list's readers are sent. */
  constructor(encode: EncodePage<Encoded>) {
    this.#encode = encode;
    this.#pages = new OrderPages((slot) => this.#ids[slot] as bigint);
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#position;
  }

  /** How many orders there are. */
  get size(): number {
    return this.#orders;
  }

  get(id: OrderId): OrderDetails | undefined {
    const slot = this.#slots.slotOf(id);
    return slot === -1 ? undefined : this.details(slot);
  }

  /** The columns as they are now, up to the next event. */
  get columns(): OrderColumns {
    return {
      petIds: this.#petIds,
      statuses: this.#statuses,
      shipDates: this.#shipDates,
      placedAt: this.#placedAt,
    };
  }

  /** The slots of all orders above an id, or of all there are, by ascending id, page by page. */
  slotsAfter(id: OrderId | undefined): Iterable<Uint32Array> {
    return this.#pages.slotsAfter(id);
  }

  details(slot: number): OrderDetails {
    const view = this.#view(slot);
    const endedAt = instantOf(this.#endedAt[slot] as number);
    return {
      ...view,
      version: this.#versions[slot] as number,
      placedAt: instantOf(this.#placedAt[slot] as number),
      shippedAt: view.status === 'shipped' ? endedAt : undefined,
      cancelledAt: view.status === 'cancelled' ? endedAt : undefined,
    };
  }

  /** The list as it is at {@link position}. */
  snapshot(): ListSnapshot<Encoded> {
    this.#snapshot ??= {
      position: this.#position,
      pages: this.#pages.encoded((slots, first) =>
        this.#encode(Array.from(slots, this.#view), first),
      ),
    };
    return this.#snapshot;
  }

  /** Folds a recorded event in. It must follow the position, without a gap. */
  fold({ position, version, event, metadata }: RecordedEvent): void {
    if (position !== this.#position + 1) {
      throw new Error(`position ${position} does not follow position ${this.#position}`);
    }
    const slot = this.#evolve(event);
    const at = millisecondsOf(metadata.at);
    if (event.type === 'OrderPlaced') this.#placedAt[slot] = at;
    else this.#endedAt[slot] = at;
    this.#versions[slot] = version;
    this.#position = position;
    this.#snapshot = undefined;
  }

  /** Takes in what the event says of its order, whose slot it returns. */
  #evolve(event: OrderEvent): number {
    switch (event.type) {
      case 'OrderPlaced':
        return this.#place(event);
      case 'OrderShipped': {
        const slot = this.#slotOf(event);
        this.#shipDates[slot] = millisecondsOf(event.shipDate);
        this.#statuses[slot] = STATUSES.indexOf('shipped');
        this.#pages.touch(slot);
        return slot;
      }
      case 'OrderCancelled': {
        // The encoded pages stay: what version 1 shows of an order does not tell that it was
        // cancelled. Without this, every cancellation would cost the next list a page.
        const slot = this.#slotOf(event);
        this.#statuses[slot] = STATUSES.indexOf('cancelled');
        return slot;
      }
    }
  }

  #place(event: OrderPlaced): number {
    const slot = this.#slots.add(event.orderId);
    if (slot < this.#orders) throw new Error(`order ${event.orderId} was placed twice`);
    this.#orders += 1;
    if (slot === this.#ids.length) this.#grow();
    this.#ids[slot] = event.orderId;
    this.#petIds[slot] = event.petId;
    this.#quantities[slot] = event.quantity;
    this.#shipDates[slot] = event.shipDate === undefined ? NaN : millisecondsOf(event.shipDate);
    this.#pages.insert(slot);
    return slot;
  }

  #slotOf({ type, orderId }: OrderEvent): number {
    const slot = this.#slots.slotOf(orderId);
    if (slot === -1) throw new Error(`${type} of order ${orderId}, which was never placed`);
    return slot;
  }

  readonly #view = (slot: number): OrderView => {
    const shipDate = this.#shipDates[slot] as number;
    return {
      id: this.#ids[slot] as OrderId,
      petId: this.#petIds[slot] as PetId,
      quantity: this.#quantities[slot] as number,
      shipDate: Number.isNaN(shipDate) ? undefined : instantOf(shipDate),
      status: STATUSES[this.#statuses[slot] as number] as OrderView['status'],
    };
  };

  #grow(): void {
    const length = this.#ids.length * 2;
    this.#ids = copied(this.#ids, new BigInt64Array(length));
    this.#petIds = copied(this.#petIds, new BigInt64Array(length));
    this.#quantities = copied(this.#quantities, new Int32Array(length));
    this.#shipDates = copied(this.#shipDates, new Float64Array(length));
    this.#statuses = copied(this.#statuses, new Uint8Array(length));
    this.#placedAt = copied(this.#placedAt, new Float64Array(length));
    this.#endedAt = copied(this.#endedAt, new Float64Array(length));
    this.#versions = copied(this.#versions, new Uint32Array(length));
  }
}

function instantOf(milliseconds: number): Instant {
  return instantAt(milliseconds) as Instant;
}

function copied<Column extends { set(from: Column): void }>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
