import {
  type Command,
  MAX_INT64,
  type Order,
  type OrderEvent,
  type Rejection,
} from '../vocabulary.ts';
import { ask, NO_ORDER, type OrderRow } from './table.ts';

/** A store's result for a command, by the table. */
export type Expected =
  | {
      readonly kind: 'accepted';
      readonly orderId: bigint;
      readonly version: number;
      /** The recorded events: one, or none if there was nothing to do. */
      readonly events: readonly OrderEvent[];
    }
  | { readonly kind: 'rejected'; readonly reason: Rejection };

/** A model of a whole store by the table: its orders, its events, and its list. */
export class OracleStore {
  readonly #rows = new Map<bigint, OrderRow>();
  readonly #shown = new Map<bigint, Order>();
  readonly events: OrderEvent[] = [];

  submit(command: Command): Expected {
    const { orderId } = command;
    const { answer, order } = ask(this.row(orderId), command);
    if (answer === 'nothing to do') {
      return { kind: 'accepted', orderId, version: order.version, events: [] };
    }
    if ('refused' in answer) return { kind: 'rejected', reason: answer.refused };
    const event = { ...command, type: answer.event } as OrderEvent;
    this.#rows.set(orderId, order);
    this.#shown.set(orderId, shownAfter(this.#shown.get(orderId) as Order, event));
    this.events.push(event);
    return { kind: 'accepted', orderId, version: order.version, events: [event] };
  }

  row(id: bigint): OrderRow {
    return this.#rows.get(id) ?? NO_ORDER;
  }

  /** Returns the order as version 1 shows it. */
  get(id: bigint): Order | undefined {
    return this.#shown.get(id);
  }

  /** Returns every order ever placed, by id. */
  list(): Order[] {
    return [...this.#shown.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * Returns the id of a new order if the store chooses it: one above the highest, at least 1; at
   * the end of int64, the highest free id.
   */
  nextId(): bigint {
    let id = 0n;
    for (const taken of this.#rows.keys()) if (taken > id) id = taken;
    if (id < MAX_INT64) return id + 1n;
    while (this.#rows.has(id)) id -= 1n;
    return id;
  }
}

/**
 * Returns an order as version 1 shows it after an event: with the expected date until it ships, and the actual
 * one afterwards. A cancelled order looks like a pending one.
 */
function shownAfter(known: Order, event: OrderEvent): Order {
  switch (event.type) {
    case 'OrderPlaced': {
      const { type: _, orderId: id, ...rest } = event;
      return { id, ...rest, complete: false };
    }
    case 'OrderShipped':
      return { ...known, shipDate: event.shipDate, complete: true };
    case 'OrderCancelled':
      return known;
  }
}
