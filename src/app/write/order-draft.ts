import type { OrderState } from '../../domain/order.ts';
import { MAX_INT64, type OrderId } from '../../domain/order-id.ts';
import { ALL_IDS, type IdRange } from '../log/epochs.ts';
import type { RecordedEvent } from '../log/recorded-event.ts';
import type { RecordedOrders } from '../state/recorded-orders.ts';

/**
 * The orders as the batches in flight would leave them: decisions build on it, within a batch and from
 * one batch to the next. The recorded orders themselves only ever fold recorded events.
 */
export class OrderDraft {
  readonly #recorded: RecordedOrders;
  #orders = new Map<OrderId, { state: OrderState; version: number }>();
  readonly #top: bigint;
  #highestId: bigint;

  /** @param ids The ids that new orders may have. */
  constructor(recorded: RecordedOrders, { above, top }: IdRange = ALL_IDS) {
    this.#recorded = recorded;
    this.#top = top;
    this.#highestId = above > recorded.highestId ? above : recorded.highestId;
  }

  state(orderId: OrderId): OrderState {
    return this.#orders.get(orderId)?.state ?? this.#recorded.state(orderId);
  }

  version(orderId: OrderId): number {
    return this.#orders.get(orderId)?.version ?? this.#recorded.version(orderId);
  }

  evolve(orderId: OrderId, state: OrderState): void {
    this.#orders.set(orderId, { state, version: this.version(orderId) + 1 });
    if (orderId > this.#highestId) this.#highestId = orderId;
  }

  /** Returns a function that undoes what is changed until it is called. */
  savepoint(): () => void {
    const [orders, highestId] = [new Map(this.#orders), this.#highestId];
    return () => {
      this.#orders = orders;
      this.#highestId = highestId;
    };
  }

  /** Drops the orders of events that are recorded and folded in. */
  forget(events: readonly RecordedEvent[]): void {
    for (const { event, version } of events) {
      // Unless a later batch has changed the order again.
      if (this.version(event.orderId) === version) this.#orders.delete(event.orderId);
    }
  }

  /**
   * Returns the id for a new order: one above the highest that any order ever had. After an import with
   * the very last int64, that is the highest free id instead, so that orders can still be placed.
   */
  nextOrderId(): OrderId {
    if (this.#highestId < MAX_INT64) return (this.#highestId + 1n) as OrderId;
    let free = this.#recorded.highestFreeId(this.#top);
    while (this.version(free) > 0) free = (free - 1n) as OrderId;
    return free;
  }
}
