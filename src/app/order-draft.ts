import type { OrderState } from '../domain/order.ts';
import { MAX_INT64, type OrderId } from '../domain/order-id.ts';
import type { OrderImage } from './order-image.ts';

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
