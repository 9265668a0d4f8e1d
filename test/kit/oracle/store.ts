import {
  type Command,
  MAX_INT64,
  type Order,
  type OrderEvent,
  type Rejection,
} from '../vocabulary.ts';
import { ask, NO_ORDER, type OrderRow } from './table.ts';

/** What the table lets a store answer to a command. */
export type Expected =
  | {
      readonly kind: 'accepted';
      readonly orderId: bigint;
      readonly version: number;
      /** What is recorded: one event, or none where it is so already. */
      readonly events: readonly OrderEvent[];
    }
  | { readonly kind: 'rejected'; readonly reason: Rejection };

/** A whole store by the table: its orders, what it has recorded, and what its list shows. */
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
    this.#show(event);
    this.events.push(event);
    return { kind: 'accepted', orderId, version: order.version, events: [event] };
  }

  row(id: bigint): OrderRow {
    return this.#rows.get(id) ?? NO_ORDER;
  }

  /** The order as version 1 shows it. */
  get(id: bigint): Order | undefined {
    return this.#shown.get(id);
  }

  /** Every order ever placed, by id. */
  list(): Order[] {
    return [...this.#shown.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * The id of a new order, where the store chooses it: one above the highest, never below 1; at the
   * very end of int64, the highest that is free.
   */
  nextId(): bigint {
    let id = 0n;
    for (const taken of this.#rows.keys()) if (taken > id) id = taken;
    if (id < MAX_INT64) return id + 1n;
    while (this.#rows.has(id)) id -= 1n;
    return id;
  }

  // The expected date until the order ships, the actual one from then on; a cancelled order shows
  // no difference.
  #show(event: OrderEvent): void {
    if (event.type === 'OrderPlaced') {
      const { type, orderId: id, ...rest } = event;
      this.#shown.set(id, { id, ...rest, complete: false });
    } else if (event.type === 'OrderShipped') {
      const known = this.#shown.get(event.orderId) as Order;
      this.#shown.set(event.orderId, { ...known, shipDate: event.shipDate, complete: true });
    }
  }
}
