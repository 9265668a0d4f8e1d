import { type Instant, instantAt, millisecondsOf } from '../domain/instant.ts';
import type { OrderPlaced } from '../domain/order.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { copied } from './columns.ts';
import { OrderImage, type OrderStatus, type PackedImage } from './order-image.ts';
import { OrderPages, type PackedPages } from './order-pages.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** An order as its readers see it. */
export interface OrderView {
  readonly id: OrderId;
  readonly petId: PetId;
  readonly quantity: number;
  /** When it is expected to ship, and once it is shipped, when it did. */
  readonly shipDate: Instant | undefined;
  readonly status: OrderStatus;
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

/** All that a list knows, as it is written to a file: nothing but numbers and arrays of them. */
export interface PackedList {
  readonly image: PackedImage;
  readonly columns: Columns;
  readonly pages: PackedPages;
}

/** One entry for each order, at its slot in the image. */
interface Columns {
  readonly ids: BigInt64Array;
  readonly petIds: BigInt64Array<ArrayBuffer>;
  readonly quantities: Int32Array;
  /** When the order was placed, and when it was shipped or cancelled: milliseconds since 1970. */
  readonly placedAt: Float64Array;
  readonly endedAt: Float64Array;
}

/** Turns a page of orders, at least one, into what is sent; `first` where the list begins. */
export type EncodePage<Encoded> = (orders: readonly OrderView[], first: boolean) => Encoded;

const NO_ORDERS: Columns = {
  ids: new BigInt64Array(),
  petIds: new BigInt64Array(),
  quantities: new Int32Array(),
  placedAt: new Float64Array(),
  endedAt: new Float64Array(),
};

/**
 * The read side: every order ever placed, as a fold of the log: the image of all states, columns
 * of what else is shown (36 bytes an order), and pages that are already encoded the way they will
 * be sent. An event makes its page stale; a stale page is encoded again when the list is next
 * asked for.
 */
export class OrderList<Encoded> {
  readonly #encode: EncodePage<Encoded>;
  readonly #image: OrderImage;
  readonly #pages: OrderPages<Encoded>;
  #columns: Columns;
  #snapshot: ListSnapshot<Encoded> | undefined;

  /**
   * @param encode Turns a page of orders into what the list's readers are sent.
   * @param packed Where it begins; at position 0 if there is nothing.
   */
  constructor(encode: EncodePage<Encoded>, packed?: PackedList) {
    this.#encode = encode;
    this.#image = new OrderImage(packed?.image);
    this.#columns = packed?.columns ?? NO_ORDERS;
    this.#pages = new OrderPages((slot) => this.#columns.ids[slot] as bigint, packed?.pages);
  }

  /** A copy of all that it knows, from which the same list can be made again. */
  pack(): PackedList {
    return {
      image: this.#image.pack(),
      columns: grown(this.#columns, this.#columns.ids.length),
      pages: this.#pages.pack(),
    };
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#image.position;
  }

  /** How many orders there are. */
  get size(): number {
    return this.#image.size;
  }

  get(id: OrderId): OrderDetails | undefined {
    const slot = this.#image.slotOf(id);
    return slot === -1 ? undefined : this.details(slot);
  }

  /** Where in the log an order's events stand, the oldest first; nowhere if there is no order. */
  positionsOf(id: OrderId): readonly number[] {
    const versions = Array.from({ length: this.#image.version(id) }, (_, n) => n + 1);
    return versions.map((version) => this.#image.positionOf(id, version));
  }

  /** The columns as they are now, up to the next event. */
  get columns(): OrderColumns {
    const { petIds, placedAt } = this.#columns;
    return { petIds, placedAt, ...this.#image.columns };
  }

  /** The slots of all orders above an id, or of all there are, by ascending id, page by page. */
  slotsAfter(id: OrderId | undefined): Iterable<Uint32Array> {
    return this.#pages.slotsAfter(id);
  }

  details(slot: number): OrderDetails {
    const view = this.#view(slot);
    const endedAt = instantAt(this.#columns.endedAt[slot] as number);
    return {
      ...view,
      version: this.#image.versionAt(slot),
      placedAt: instantAt(this.#columns.placedAt[slot] as number) as Instant,
      shippedAt: view.status === 'shipped' ? endedAt : undefined,
      cancelledAt: view.status === 'cancelled' ? endedAt : undefined,
    };
  }

  /** The list as it is at {@link position}. */
  snapshot(): ListSnapshot<Encoded> {
    this.#snapshot ??= {
      position: this.position,
      pages: this.#pages.encoded((slots, first) =>
        this.#encode(Array.from(slots, this.#view), first),
      ),
    };
    return this.#snapshot;
  }

  /** A copy of the states, for the write side to begin with. */
  packImage(): PackedImage {
    return this.#image.pack();
  }

  /** Folds a recorded event in. It must follow the position, without a gap. */
  fold(recorded: RecordedEvent): void {
    const slot = this.#image.fold(recorded);
    const { event, metadata } = recorded;
    const at = millisecondsOf(metadata.at);
    switch (event.type) {
      case 'OrderPlaced':
        this.#place(slot, event, at);
        break;
      case 'OrderShipped':
        this.#columns.endedAt[slot] = at;
        this.#pages.touch(slot);
        break;
      case 'OrderCancelled':
        this.#columns.endedAt[slot] = at;
        // The encoded pages stay: what version 1 shows of an order does not tell that it was
        // cancelled. Without this, every cancellation would cost the next list a page.
        break;
    }
    this.#snapshot = undefined;
  }

  #place(slot: number, { orderId, petId, quantity }: OrderPlaced, at: number): void {
    if (slot === this.#columns.ids.length) {
      this.#columns = grown(this.#columns, Math.max(1_024, slot * 2));
    }
    this.#columns.ids[slot] = orderId;
    this.#columns.petIds[slot] = petId;
    this.#columns.quantities[slot] = quantity;
    this.#columns.placedAt[slot] = at;
    this.#pages.insert(slot);
  }

  readonly #view = (slot: number): OrderView => ({
    id: this.#columns.ids[slot] as OrderId,
    petId: this.#columns.petIds[slot] as PetId,
    quantity: this.#columns.quantities[slot] as number,
    shipDate: this.#image.shipDateAt(slot),
    status: this.#image.statusAt(slot),
  });
}

/** A copy of columns, with room for so many orders. */
function grown(columns: Columns, length: number): Columns {
  const { ids, petIds, quantities, placedAt, endedAt } = columns;
  return {
    ids: copied(ids, new BigInt64Array(length)),
    petIds: copied(petIds, new BigInt64Array(length)),
    quantities: copied(quantities, new Int32Array(length)),
    placedAt: copied(placedAt, new Float64Array(length)),
    endedAt: copied(endedAt, new Float64Array(length)),
  };
}
