import type { OrderState } from '../domain/order.ts';
import { MAX_INT64, type OrderId } from '../domain/order-id.ts';
import { ALL_IDS, type IdRange } from './epochs.ts';
import type { OrderImage } from './order-image.ts';
import type { RecordedEvent } from './recorded-event.ts';

/**
 * What the batches under way would make of the image: decisions build on it, within a batch and from
 * one batch to the next. The image itself only ever learns recorded events.
 */
export class OrderDraft {
  readonly #image: OrderImage;
  readonly #orders = new Map<OrderId, { state: OrderState; version: number }>();
  readonly #top: bigint;
  #highestId: bigint;

  /** @param ids Those that may be given. */
  constructor(image: OrderImage, { above, top }: IdRange = ALL_IDS) {
    this.#image = image;
    this.#top = top;
    this.#highestId = above > image.highestId ? above : image.highestId;
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

  /** Drops what events have made of their orders, once they are recorded and the image has them. */
  settle(events: readonly RecordedEvent[]): void {
    for (const { event, version } of events) {
      // Unless a later batch has made more of it.
      if (this.version(event.orderId) === version) this.#orders.delete(event.orderId);
    }
  }

  /**
   * The id for a new order: one above the highest that was ever given. Where an import has taken the
   * very last int64, the highest id that is still free, so that the store goes on.
   */
  nextOrderId(): OrderId {
    if (this.#highestId < MAX_INT64) return (this.#highestId + 1n) as OrderId;
    let free = this.#image.highestFreeId(this.#top);
    while (this.version(free) > 0) free = (free - 1n) as OrderId;
    return free;
  }
}
