/**
 * The list of all orders ever placed, a fold of the log: the image of all states, columns of the
 * other members shown, the timeline of all events, and chunks of orders as they were last encoded.
 * An event makes its chunk stale; a stale chunk is encoded again when the list is next asked for.
 *
 * It also yields the list as of any earlier position: an order has {@link MAX_EVENTS_PER_ORDER}
 * events at most, of known positions. As of a position an order is in the list if it was placed by
 * then, and it is pending if its last event came later.
 */

import { type Instant, instantAt, millisecondsOf } from '../../domain/instant.ts';
import type { CancelReason, OrderEvent } from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import { hasShipped, type OrderStatus } from '../../domain/order-lives.ts';
import type { PackedList } from '../log/packed-fold.ts';
import { type FoldInput, foldInputOf, type RecordedEvent } from '../log/recorded-event.ts';
import { packAll } from './column.ts';
import { type EncodedList, EncodedLists } from './encoded-lists.ts';
import { firstIndex } from './first-index.ts';
import { eventsAt, type ImageColumns } from './image-columns.ts';
import { type ListColumns, listColumns } from './list-columns.ts';
import { OrderChunks } from './order-chunks.ts';
import { OrderImage } from './order-image.ts';
import { Timeline } from './timeline.ts';

/** An order as its readers see it. */
export interface OrderView {
  readonly id: OrderId;
  readonly petId: PetId;
  readonly quantity: number;
  /** The date on which it shipped; before that, the expected one, if known. */
  readonly shipDate: Instant | undefined;
  readonly status: OrderStatus;
}

/** An order with its version and its times. */
export interface OrderDetails extends OrderView {
  /** The number of its events. */
  readonly version: number;
  /** The time of recording of the event that placed it; likewise for the other two. */
  readonly placedAt: Instant;
  readonly shippedAt: Instant | undefined;
  readonly cancelledAt: Instant | undefined;
  readonly cancelReason: CancelReason | undefined;
}

/** Encodes a chunk of at least one order for the list's readers; `first` at the list's start. */
export type EncodeChunk<Encoded> = (orders: readonly OrderView[], first: boolean) => Encoded;

/** The members that all pending orders have in common. */
export const NOT_ENDED = {
  version: 1,
  shippedAt: undefined,
  cancelledAt: undefined,
  cancelReason: undefined,
} as const;

/** The list of orders, now and as of any position. Encodes chunks of it by `encode`. */
export class OrderList<Encoded> {
  /** The states of the orders, for the write side to decide on; fold events into the list only. */
  readonly image: OrderImage;
  readonly #notShown: readonly OrderEvent['type'][];
  readonly #chunks: OrderChunks<Encoded>;
  readonly #columns: ListColumns;
  /** The times of all events up to {@link position}. */
  readonly timeline: Timeline;
  readonly #encodedLists: EncodedLists<Encoded>;

  /**
   * @param packed The list to begin with; absent: the list begins at position 0.
   * @param notShown The types of events that do not change the encoding of their order's chunk.
   */
  constructor(
    encode: EncodeChunk<Encoded>,
    packed?: PackedList,
    notShown: readonly OrderEvent['type'][] = [],
  ) {
    this.#notShown = notShown;
    this.image = new OrderImage(packed?.image);
    this.#columns = listColumns(packed?.columns);
    this.timeline = new Timeline(packed?.timeline);
    this.#chunks = new OrderChunks((slot) => this.#columns.ids.get(slot), packed?.chunks);
    this.#encodedLists = new EncodedLists(
      this.#chunks,
      (slots, first, position) => encode(this.#viewsAt(slots, position), first),
      () => ({ position: this.position, state: this.stateAt(this.position) }),
    );
  }

  /** Returns a copy, from which the list can be restored. */
  pack(): PackedList {
    return {
      image: this.image.pack(),
      columns: packAll(this.#columns),
      timeline: this.timeline.pack(),
      chunks: this.#chunks.pack(),
    };
  }

  /** The position of the last event folded in. */
  get position(): number {
    return this.image.position;
  }

  /** The time of recording of the last event folded in; `undefined` before the first. */
  get lastAt(): Instant | undefined {
    return this.image.lastAt;
  }

  get size(): number {
    return this.image.size;
  }

  get(id: OrderId): OrderDetails | undefined {
    const slot = this.image.slotOf(id);
    return slot === -1 ? undefined : this.details(slot);
  }

  /** Returns the positions of an order's events, the oldest first; none if there is no order. */
  positionsOf(id: OrderId): readonly number[] {
    const slot = this.image.slotOf(id);
    return slot === -1 ? [] : eventsAt(this.image.columns, slot).positions;
  }

  /** The columns, for filters. */
  get columns(): ListColumns & ImageColumns {
    return { ...this.#columns, ...this.image.columns };
  }

  /** Returns the position of the last event that was recorded by a time, or at it; 0 for none. */
  positionAt(time: Instant): number {
    return this.timeline.eventsBefore(millisecondsOf(time) + 1);
  }

  /** Returns the number of orders placed by a position: those with the slots below that number. */
  sizeAt(position: number): number {
    return firstIndex(this.size, (slot) => this.image.placedAt(slot) > position);
  }

  /** Returns the number of orders placed before a time: those with the slots below that number. */
  sizeBefore(time: Instant): number {
    const at = millisecondsOf(time);
    return firstIndex(this.size, (slot) => this.#placedAt(slot) >= at);
  }

  /** Returns the slots of all orders beyond an id in an order of ids, or of all, chunk by chunk. */
  slotsBeyond(id: OrderId | undefined, order: 'asc' | 'desc'): Iterable<Uint32Array> {
    return order === 'asc' ? this.#chunks.slotsAfter(id) : this.#chunks.slotsBefore(id);
  }

  /** Returns the order at a slot, now or as of a position by which it was placed. */
  details(slot: number, asOf: number = this.position): OrderDetails {
    const endPosition = this.image.columns.endPositions.get(slot);
    const placedAt = instantAt(this.#placedAt(slot)) as Instant;
    // An order that is pending has no such position, and NaN is not at or before any.
    if (!(endPosition <= asOf)) return { ...this.#viewAsPlaced(slot), ...NOT_ENDED, placedAt };
    const view = this.#view(slot);
    const endedAt = instantAt(this.timeline.timeAt(endPosition));
    return {
      ...view,
      version: this.image.versionAt(slot),
      placedAt,
      shippedAt: view.status === 'shipped' ? endedAt : undefined,
      cancelledAt: view.status === 'cancelled' ? endedAt : undefined,
      cancelReason: this.image.reasonAt(slot),
    };
  }

  /**
   * Returns a name of the list as of a position, unique among the logs of the store: the time of
   * its last event, in base 36, and the position. It differs even after a loss that went unnoticed.
   */
  stateAt(position: number): string {
    return position === 0 ? '0' : `${this.timeline.timeAt(position).toString(36)}-${position}`;
  }

  /** Returns the list as it is at {@link position}. */
  encoded(): EncodedList<Encoded> {
    return this.#encodedLists.now();
  }

  /** Resolves with the list at {@link position} or later: see {@link EncodedLists.inTurns}. */
  encodedInTurns(nextTurn: () => Promise<void>): Promise<EncodedList<Encoded>> {
    return this.#encodedLists.inTurns(nextTurn);
  }

  /** Folds a recorded event in. Throws the same errors as {@link OrderImage.fold}. */
  fold(recorded: RecordedEvent): void {
    this.foldInput(foldInputOf(recorded));
  }

  /** Folds an event in: see {@link fold}. */
  foldInput(input: FoldInput): void {
    const slot = this.image.foldInput(input);
    const { position, type, at } = input;
    this.timeline.add(position, at, type);
    if (type === 'OrderPlaced') this.#place(slot, input);
    else if (!this.#notShown.includes(type)) this.#chunks.touch(slot);
    this.#encodedLists.forget();
  }

  #place(slot: number, { orderId, petId, quantity, shipDate }: FoldInput): void {
    this.#columns.ids.set(slot, orderId);
    this.#columns.petIds.set(slot, petId);
    this.#columns.quantities.set(slot, quantity);
    if (!Number.isNaN(shipDate)) this.#columns.expectedDates.set(slot, shipDate);
    this.#chunks.insert(slot);
  }

  #placedAt(slot: number): number {
    return this.timeline.timeAt(this.image.placedAt(slot));
  }

  #viewsAt(slots: Uint32Array, position: number): readonly OrderView[] {
    const { endPositions } = this.image.columns;
    return Array.from(slots, (slot) =>
      endPositions.get(slot) > position ? this.#viewAsPlaced(slot) : this.#view(slot),
    );
  }

  #viewAsPlaced(slot: number): OrderView {
    return this.#viewOf(slot, 'pending', this.#columns.expectedDates.get(slot));
  }

  #view(slot: number): OrderView {
    const status = this.image.statusAt(slot);
    const { shipDates } = this.image.columns;
    const dates = hasShipped(status) ? shipDates : this.#columns.expectedDates;
    return this.#viewOf(slot, status, dates.get(slot));
  }

  #viewOf(slot: number, status: OrderStatus, shipDateMs: number): OrderView {
    return {
      id: this.#columns.ids.get(slot) as OrderId,
      petId: this.#columns.petIds.get(slot) as PetId,
      quantity: this.#columns.quantities.get(slot),
      shipDate: instantAt(shipDateMs),
      status,
    };
  }
}
