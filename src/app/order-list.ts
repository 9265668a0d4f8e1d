import type { Instant } from '../domain/instant.ts';
import type { OrderPlaced } from '../domain/order.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { copied } from './columns.ts';
import { OrderImage, type OrderStatus, type PackedImage } from './order-image.ts';
import { OrderPages } from './order-pages.ts';
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

/** The whole list at one position of the log. It never changes after it was handed out. */
export interface ListSnapshot<Encoded> {
  readonly position: number;
  /** By order id, ascending; each page is a run of about a thousand orders. */
  readonly pages: readonly Encoded[];
}

/** Turns a page of orders, at least one, into what is sent; `first` where the list begins. */
export type EncodePage<Encoded> = (orders: readonly OrderView[], first: boolean) => Encoded;

/**
 * The read side: every order ever placed, as a fold of the log: the image of all states, columns
 * of what else is shown (20 bytes an order), and pages that are already encoded the way they will
 * be sent. An event makes its page stale; a stale page is encoded again when the list is next
 * asked for.
 */
export class OrderList<Encoded> {
  readonly #encode: EncodePage<Encoded>;
  readonly #image = new OrderImage();
  readonly #pages: OrderPages<Encoded>;
  #ids = new BigInt64Array(1024);
  #petIds = new BigInt64Array(1024);
  #quantities = new Int32Array(1024);
  #snapshot: ListSnapshot<Encoded> | undefined;

  /** @param encode Turns a page of orders into what the list's readers are sent. */
  constructor(encode: EncodePage<Encoded>) {
    this.#encode = encode;
    this.#pages = new OrderPages((slot) => this.#ids[slot] as bigint);
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#image.position;
  }

  /** How many orders there are. */
  get size(): number {
    return this.#image.size;
  }

  get(id: OrderId): OrderView | undefined {
    const slot = this.#image.slotOf(id);
    return slot === -1 ? undefined : this.#view(slot);
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
    const { event } = recorded;
    switch (event.type) {
      case 'OrderPlaced':
        this.#place(slot, event);
        break;
      case 'OrderShipped':
        this.#pages.touch(slot);
        break;
      case 'OrderCancelled':
        // The encoded pages stay: what version 1 shows of an order does not tell that it was
        // cancelled. Without this, every cancellation would cost the next list a page.
        break;
    }
    this.#snapshot = undefined;
  }

  #place(slot: number, { orderId, petId, quantity }: OrderPlaced): void {
    if (slot === this.#ids.length) this.#grow();
    this.#ids[slot] = orderId;
    this.#petIds[slot] = petId;
    this.#quantities[slot] = quantity;
    this.#pages.insert(slot);
  }

  readonly #view = (slot: number): OrderView => ({
    id: this.#ids[slot] as OrderId,
    petId: this.#petIds[slot] as PetId,
    quantity: this.#quantities[slot] as number,
    shipDate: this.#image.shipDateAt(slot),
    status: this.#image.statusAt(slot),
  });

  #grow(): void {
    const length = this.#ids.length * 2;
    this.#ids = copied(this.#ids, new BigInt64Array(length));
    this.#petIds = copied(this.#petIds, new BigInt64Array(length));
    this.#quantities = copied(this.#quantities, new Int32Array(length));
  }
}
