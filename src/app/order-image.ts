import type { Instant } from '../domain/instant.ts';
import { type OrderState, order } from '../domain/order.ts';
import { MAX_INT64, type OrderId } from '../domain/order-id.ts';
import { Int64Index } from './int64-index.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * The write side's memory of every order: the fold of the whole log, and nothing that is not in
 * the log. It is thrown away with the process and folded anew at the next start.
 */
export class OrderImage {
  #position = 0;
  #lastAt: Instant | undefined;
  #highestId = 0n as OrderId;
  #highestFreeId = MAX_INT64 as OrderId;
  #slots = new Int64Index();
  #states: OrderState[] = [];
  #versions: number[] = [];

  /** The position of the last event folded in. */
  get position(): number {
    return this.#position;
  }

  /** When the last event folded in was recorded. */
  get lastAt(): Instant | undefined {
    return this.#lastAt;
  }

  /** The highest id of any order, at least 0: ids that the service assigns are positive. */
  get highestId(): OrderId {
    return this.#highestId;
  }

  /** The highest id that no order has. Orders never vanish, so the search never starts over. */
  highestFreeId(): OrderId {
    while (this.version(this.#highestFreeId) > 0) {
      this.#highestFreeId = (this.#highestFreeId - 1n) as OrderId;
    }
    return this.#highestFreeId;
  }

  state(orderId: OrderId): OrderState {
    return this.#states[this.#slots.slotOf(orderId)] ?? order.initial;
  }

  /** How many events the order has; 0 where there is no such order. */
  version(orderId: OrderId): number {
    return this.#versions[this.#slots.slotOf(orderId)] ?? 0;
  }

  /** Folds recorded events in. They must follow the position, without a gap. */
  fold(recorded: readonly RecordedEvent[]): void {
    for (const { position, version, event, metadata } of recorded) {
      if (position !== this.#position + 1) {
        throw new Error(`position ${position} does not follow position ${this.#position}`);
      }
      const slot = this.#slots.add(event.orderId);
      this.#states[slot] = order.evolve(this.#states[slot] ?? order.initial, event);
      this.#versions[slot] = version;
      if (event.orderId > this.#highestId) this.#highestId = event.orderId;
      this.#position = position;
      this.#lastAt = metadata.at;
    }
  }
}

/**
 * What a batch would make of the image: decisions within the batch build on it, and it is dropped
 * when the batch has been recorded or has failed. The image itself only ever learns recorded
 * events.
 */
export class OrderDraft {
  readonly #image: OrderImage;
  readonly #orders = new Map<OrderId, { state: OrderState; version: number }>();
  #highestId: OrderId;

  constructor(image: OrderImage) {
    this.#image = image;
    this.#highestId = image.highestId;
  }

  state(orderId: OrderId): OrderState {
    return this.#orders.get(orderId)?.state ?? this.#image.state(orderId);
  }

  version(orderId: OrderId): number {
    return this.#orders.get(orderId)?.version ?? this.#image.version(orderId);
  }

  evolve(orderId: OrderId, state: OrderState): void {
    this.#orders.set(orderId, { state, version: this.version(orderId) + 1 });
    if (orderId > this.#highestId) this.#highestId = orderId;
  }

  /**
   * The id for a new order: one above the highest. Where an import has taken the very last int64,
   * the highest id that is still free, so that the store goes on.
   */
  nextOrderId(): OrderId {
    if (this.#highestId < MAX_INT64) return (this.#highestId + 1n) as OrderId;
    let free = this.#image.highestFreeId();
    while (this.version(free) > 0) free = (free - 1n) as OrderId;
    return free;
  }
}
