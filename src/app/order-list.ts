import { type Instant, instantAt, millisecondsOf } from '../domain/instant.ts';
import type { OrderId, PetId } from '../domain/order-id.ts';
import { copied, firstIndex } from './columns.ts';
import { type EventFacts, factsOf } from './event-facts.ts';
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
  /** The dates that were expected when the orders were placed, which they keep until they ship. */
  readonly expectedDates: Float64Array;
  /** Where in the log the order's last event stands. */
  readonly lastPositions: Uint32Array;
}

/** The whole list at one position of the log. It never changes after it was handed out. */
export interface ListSnapshot<Encoded> {
  readonly position: number;
  /** See {@link OrderList.stateAt}. */
  readonly state: string;
  /** By order id, ascending; each page is a run of about a thousand orders. */
  readonly pages: readonly Encoded[];
}

/** All that a list knows, as it is written to a file: nothing but numbers and arrays of them. */
export interface PackedList {
  readonly image: PackedImage;
  readonly columns: Columns;
  readonly times: Float64Array;
  readonly pages: PackedPages;
}

/** One entry for each order, at its slot in the image. */
interface Columns {
  readonly ids: BigInt64Array;
  readonly petIds: BigInt64Array<ArrayBuffer>;
  readonly quantities: Int32Array;
  /** When the order was to ship as it was placed: milliseconds since 1970; NaN for no date. */
  readonly expectedDates: Float64Array;
}

/** Turns a page of orders, at least one, into what is sent; `first` where the list begins. */
export type EncodePage<Encoded> = (orders: readonly OrderView[], first: boolean) => Encoded;

const NO_ORDERS: Columns = {
  ids: new BigInt64Array(),
  petIds: new BigInt64Array(),
  quantities: new Int32Array(),
  expectedDates: new Float64Array(),
};

/** What is the same of all orders that nothing has happened to since they were placed. */
const NOT_ENDED = { version: 1, shippedAt: undefined, cancelledAt: undefined } as const;

/**
 * The read side: every order ever placed, as a fold of the log: the image of all states, columns
 * of what else is shown (28 bytes an order), the time of each event (8 bytes), and pages that are
 * already encoded the way they will be sent. An event makes its page stale; a stale page is encoded
 * again when the list is next asked for.
 *
 * It also knows every list that it has been. An order has two events at most, and it is known where
 * in the log they stand: as of any position, an order is there if it was placed by then, and what
 * it has become since had not happened.
 */
export class OrderList<Encoded> {
  readonly #encode: EncodePage<Encoded>;
  readonly #image: OrderImage;
  readonly #pages: OrderPages<Encoded>;
  #columns: Columns;
  /** When each event was recorded, by its position from 1 on: milliseconds since 1970, ascending. */
  #times: Float64Array;
  #snapshot: ListSnapshot<Encoded> | undefined;

  /**
   * @param encode Turns a page of orders into what the list's readers are sent.
   * @param packed Where it begins; at position 0 if there is nothing.
   */
  constructor(encode: EncodePage<Encoded>, packed?: PackedList) {
    this.#encode = encode;
    this.#image = new OrderImage(packed?.image);
    this.#columns = packed?.columns ?? NO_ORDERS;
    this.#times = packed?.times ?? new Float64Array();
    this.#pages = new OrderPages((slot) => this.#columns.ids[slot] as bigint, packed?.pages);
  }

  /** A copy of all that it knows, from which the same list can be made again. */
  pack(): PackedList {
    return {
      image: this.#image.pack(),
      columns: grown(this.#columns, this.#columns.ids.length),
      times: this.#times.slice(),
      pages: this.#pages.pack(),
    };
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.#image.position;
  }

  /** When the last event folded in was recorded. */
  get lastAt(): Instant | undefined {
    return this.#image.lastAt;
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
    const { petIds, expectedDates } = this.#columns;
    return { petIds, expectedDates, ...this.#image.columns };
  }

  /** The position of the last event that was recorded by a time, or at it; 0 for none. */
  positionAt(time: Instant): number {
    const at = millisecondsOf(time);
    return firstIndex(this.position, (index) => (this.#times[index] as number) > at);
  }

  /** How many orders were placed by a position: those with the slots below that number. */
  sizeAt(position: number): number {
    const { placedPositions } = this.#image.columns;
    return firstIndex(this.size, (slot) => (placedPositions[slot] as number) > position);
  }

  /** How many orders were placed before a time: those with the slots below that number. */
  sizeBefore(time: Instant): number {
    const at = millisecondsOf(time);
    return firstIndex(this.size, (slot) => this.#placedAt(slot) >= at);
  }

  /** The slots of all orders above an id, or of all there are, by ascending id, page by page. */
  slotsAfter(id: OrderId | undefined): Iterable<Uint32Array> {
    return this.#pages.slotsAfter(id);
  }

  /** @param asOf The position as of which to tell: one by which the order was placed. */
  details(slot: number, asOf: number = this.position): OrderDetails {
    const lastPosition = this.#image.columns.lastPositions[slot] as number;
    const placedAt = instantAt(this.#placedAt(slot)) as Instant;
    if (lastPosition > asOf) return { ...this.#viewAsPlaced(slot), ...NOT_ENDED, placedAt };
    const view = this.#view(slot);
    const lastAt = instantAt(this.#times[lastPosition - 1] as number);
    return {
      ...view,
      version: this.#image.versionAt(slot),
      placedAt,
      shippedAt: view.status === 'shipped' ? lastAt : undefined,
      cancelledAt: view.status === 'cancelled' ? lastAt : undefined,
    };
  }

  /**
   * Tells the list as of a position from that of any other log of the store: the time of its last event,
   * in base 36, and the position. Logs that have lost events differ in it even where nobody has noticed.
   */
  stateAt(position: number): string {
    return position === 0
      ? '0'
      : `${(this.#times[position - 1] as number).toString(36)}-${position}`;
  }

  /** The list as it is at {@link position}. */
  snapshot(): ListSnapshot<Encoded> {
    this.#snapshot ??= {
      position: this.position,
      state: this.stateAt(this.position),
      pages: this.#pages.encoded((slots, first) =>
        this.#encode(Array.from(slots, this.#view), first),
      ),
    };
    return this.#snapshot;
  }

  /** The states of its orders, for the write side to decide on. Events are folded into the list. */
  get image(): OrderImage {
    return this.#image;
  }

  /** Folds a recorded event in. It must follow the position, without a gap. */
  fold(recorded: RecordedEvent): void {
    this.foldFacts(factsOf(recorded));
  }

  /** The same by what a fold takes in of an event. */
  foldFacts(facts: EventFacts): void {
    const slot = this.#image.foldFacts(facts);
    const { position, type, at } = facts;
    if (position > this.#times.length) {
      this.#times = copied(this.#times, new Float64Array(Math.max(1_024, position * 2)));
    }
    this.#times[position - 1] = at;
    // To cancel leaves the encoded pages: what version 1 shows of an order does not tell that it was
    // cancelled. Without this, every cancellation would cost the next list a page.
    if (type === 'OrderPlaced') this.#place(slot, facts);
    else if (type === 'OrderShipped') this.#pages.touch(slot);
    this.#snapshot = undefined;
  }

  #place(slot: number, { orderId, petId, quantity, shipDate }: EventFacts): void {
    if (slot === this.#columns.ids.length) {
      this.#columns = grown(this.#columns, Math.max(1_024, slot * 2));
    }
    this.#columns.ids[slot] = orderId;
    this.#columns.petIds[slot] = petId;
    this.#columns.quantities[slot] = quantity;
    this.#columns.expectedDates[slot] = shipDate;
    this.#pages.insert(slot);
  }

  #placedAt(slot: number): number {
    const position = this.#image.columns.placedPositions[slot] as number;
    return this.#times[position - 1] as number;
  }

  readonly #viewAsPlaced = (slot: number): OrderView => ({
    ...this.#view(slot),
    shipDate: instantAt(this.#columns.expectedDates[slot] as number),
    status: 'pending',
  });

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
  const { ids, petIds, quantities, expectedDates } = columns;
  return {
    ids: copied(ids, new BigInt64Array(length)),
    petIds: copied(petIds, new BigInt64Array(length)),
    quantities: copied(quantities, new Int32Array(length)),
    expectedDates: copied(expectedDates, new Float64Array(length)),
  };
}
