import type { Outcome, Submission } from '../../src/app/submission.ts';
import type { OrderCommand, OrderEvent } from '../../src/domain/order.ts';

/**
 * What an order may do, as a plain table, and a store that looks things up in it. It shares no
 * code with the service, only the names of types, and it takes no care to be fast.
 */

type Status = 'none' | 'pending' | 'shipped' | 'cancelled';
type Answer =
  | { event: OrderEvent['type']; next: Status }
  | { refused: 'order_exists' | 'order_not_found' | 'order_already_shipped' | 'order_cancelled' }
  | 'nothing to do';

const EXISTS: Answer = { refused: 'order_exists' };
const NOT_FOUND: Answer = { refused: 'order_not_found' };
const ALREADY_SHIPPED: Answer = { refused: 'order_already_shipped' };

type Asked = OrderCommand['type'] | 'ShipOrder on the same date';

const TABLE: Record<Status, Record<Asked, Answer>> = {
  none: {
    PlaceOrder: { event: 'OrderPlaced', next: 'pending' },
    ShipOrder: NOT_FOUND,
    'ShipOrder on the same date': NOT_FOUND,
    CancelOrder: NOT_FOUND,
  },
  pending: {
    PlaceOrder: EXISTS,
    ShipOrder: { event: 'OrderShipped', next: 'shipped' },
    'ShipOrder on the same date': { event: 'OrderShipped', next: 'shipped' },
    CancelOrder: { event: 'OrderCancelled', next: 'cancelled' },
  },
  shipped: {
    PlaceOrder: EXISTS,
    ShipOrder: ALREADY_SHIPPED,
    'ShipOrder on the same date': 'nothing to do',
    CancelOrder: ALREADY_SHIPPED,
  },
  cancelled: {
    PlaceOrder: EXISTS,
    ShipOrder: { refused: 'order_cancelled' },
    'ShipOrder on the same date': { refused: 'order_cancelled' },
    CancelOrder: 'nothing to do',
  },
};

/** One order, as the table has it. */
export interface ModelOrder {
  readonly status: Status;
  readonly shippedOn?: string;
  readonly version: number;
}

export const NO_ORDER: ModelOrder = { status: 'none', version: 0 };

/** What the table answers to a command, and the order after it. */
export function ask(order: ModelOrder, command: OrderCommand) {
  const sameDate = command.type === 'ShipOrder' && command.shipDate === order.shippedOn;
  const answer = TABLE[order.status][sameDate ? 'ShipOrder on the same date' : command.type];
  if (answer === 'nothing to do' || 'refused' in answer) return { answer, order };
  const next: ModelOrder = {
    status: answer.next,
    version: order.version + 1,
    ...(command.type === 'ShipOrder' ? { shippedOn: command.shipDate } : {}),
  };
  return { answer, order: next };
}

/** A whole store: its orders, and what it has recorded. */
export class ModelStore {
  readonly orders = new Map<bigint, ModelOrder>();
  readonly recorded: { event: object; version: number; by: string; commandId: string }[] = [];

  submit({ command: asked, by, commandId }: Submission): Outcome {
    const command = (
      asked.type === 'PlaceNewOrder'
        ? { ...asked, type: 'PlaceOrder', orderId: this.#newId() }
        : asked
    ) as OrderCommand;
    const { orderId } = command;
    const { answer, order } = ask(this.orders.get(orderId) ?? NO_ORDER, command);
    if (answer !== 'nothing to do') {
      if ('refused' in answer) return { kind: 'rejected', reason: answer.refused };
      this.orders.set(orderId, order);
      const event = { ...command, type: answer.event };
      this.recorded.push({ event, version: order.version, by, commandId });
    }
    return { kind: 'accepted', orderId, version: order.version };
  }

  // One above the highest, never below 1; at the very end of int64, the highest that is free.
  #newId(): bigint {
    const last = 9223372036854775807n;
    let id = 0n;
    for (const taken of this.orders.keys()) if (taken > id) id = taken;
    if (id < last) return id + 1n;
    while (this.orders.has(id)) id -= 1n;
    return id;
  }
}
