import type { OrderState } from '../../domain/order.ts';
import { MAX_INT64, type OrderId } from '../../domain/order-id.ts';
import { ALL_IDS, type IdRange } from '../log/epochs.ts';
import type { RecordedEvent } from '../log/recorded-event.ts';
import type { RecordedOrders } from '../state/recorded-orders.ts';

interface Drafted {
  readonly state: OrderState;
  readonly version: number;
}

/**
 * The orders as the batches in flight would leave them: decisions build on it, within a batch and from
 * one batch to the next. The recorded orders themselves only ever fold recorded events.
 */
export class OrderDraft {
  readonly #recorded: RecordedOrders;
  readonly #orders = new Map<OrderId, Drafted>();
  /** While changes may be undone: the orders changed so far, as they were before; undefined: as recorded. */
  #before: Map<OrderId, Drafted | undefined> | undefined;
  readonly #top: bigint;
  #highestId: bigint;

  /** @param ids The ids that new orders may have. */
  constructor(recorded: RecordedOrders, { above, top }: IdRange = ALL_IDS) {
    this.#recorded = recorded;
    this.#top = top;
    this.#highestId = above > recorded.highestId ? above : recorded.highestId;
  }

  /** Returns the state of an order, with all that was decided and is not recorded yet. */
  state(orderId: OrderId): OrderState {
    return this.#orders.get(orderId)?.state ?? this.#recorded.state(orderId);
  }

  /** Returns the version of an order in that state. */
  version(orderId: OrderId): number {
    return this.#orders.get(orderId)?.version ?? this.#recorded.version(orderId);
  }

  /** Sets the state of an order after its next event. */
  evolve(orderId: OrderId, state: OrderState): void {
    if (this.#before?.has(orderId) === false) this.#before.set(orderId, this.#orders.get(orderId));
    this.#orders.set(orderId, { state, version: this.version(orderId) + 1 });
    if (orderId > this.#highestId) this.#highestId = orderId;
  }

  /**
   * Makes changes, and undoes them unless they are to be kept.
   * @param change Makes the changes, and returns true if they are to be kept. It makes no such call itself.
   * @returns What `change` returned.
   */
  keepIf(change: () => boolean): boolean {
    const highestId = this.#highestId;
    const before = new Map<OrderId, Drafted | undefined>();
    this.#before = before;
    let isKept = false;
    try {
      isKept = change();
      return isKept;
    } finally {
      this.#before = undefined;
      if (!isKept) this.#restore(before, highestId);
    }
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

  #restore(orders: ReadonlyMap<OrderId, Drafted | undefined>, highestId: bigint): void {
    for (const [orderId, drafted] of orders) {
      if (drafted === undefined) this.#orders.delete(orderId);
      else this.#orders.set(orderId, drafted);
    }
    this.#highestId = highestId;
  }
}
