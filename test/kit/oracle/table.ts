import type { CancelOrder, Command, OrderEvent, Rejection } from '../vocabulary.ts';

/**
 * The transitions of an order, as a plain table. It shares no code with any service under test, and
 * is written to be read, not to be fast.
 */

export type Status = 'none' | 'pending' | 'shipped' | 'cancelled';

type Answer =
  | { event: OrderEvent['type']; next: Status }
  | { refused: Rejection }
  | 'nothing to do';

type Asked = Command['type'] | 'ShipOrder on the same date' | 'CancelOrder for another reason';

const EXISTS: Answer = { refused: 'order_exists' };
const NOT_FOUND: Answer = { refused: 'order_not_found' };
const ALREADY_SHIPPED: Answer = { refused: 'order_already_shipped' };

const TABLE: Record<Status, Record<Asked, Answer>> = {
  none: {
    PlaceOrder: { event: 'OrderPlaced', next: 'pending' },
    ShipOrder: NOT_FOUND,
    'ShipOrder on the same date': NOT_FOUND,
    CancelOrder: NOT_FOUND,
    'CancelOrder for another reason': NOT_FOUND,
  },
  pending: {
    PlaceOrder: EXISTS,
    ShipOrder: { event: 'OrderShipped', next: 'shipped' },
    'ShipOrder on the same date': { event: 'OrderShipped', next: 'shipped' },
    CancelOrder: { event: 'OrderCancelled', next: 'cancelled' },
    'CancelOrder for another reason': { event: 'OrderCancelled', next: 'cancelled' },
  },
  shipped: {
    PlaceOrder: EXISTS,
    ShipOrder: ALREADY_SHIPPED,
    'ShipOrder on the same date': 'nothing to do',
    CancelOrder: ALREADY_SHIPPED,
    'CancelOrder for another reason': ALREADY_SHIPPED,
  },
  cancelled: {
    PlaceOrder: EXISTS,
    ShipOrder: { refused: 'order_cancelled' },
    'ShipOrder on the same date': { refused: 'order_cancelled' },
    CancelOrder: 'nothing to do',
    'CancelOrder for another reason': { refused: 'order_cancelled' },
  },
};

/** An order in the table's terms. */
export interface OrderRow {
  readonly status: Status;
  readonly shippedOn?: string;
  readonly cancelledFor?: string;
  /** The number of its events. */
  readonly version: number;
}

export const NO_ORDER: OrderRow = { status: 'none', version: 0 };

/** Returns the table's result for a command, and the order after it. */
export function ask(
  order: OrderRow,
  command: Command,
): { readonly answer: Answer; readonly order: OrderRow } {
  const answer = TABLE[order.status][askedOf(order, command)];
  if (answer === 'nothing to do' || 'refused' in answer) return { answer, order };
  const version = order.version + 1;
  return { answer, order: { status: answer.next, version, ...endOf(command) } };
}

function askedOf(order: OrderRow, command: Command): Asked {
  switch (command.type) {
    case 'PlaceOrder':
      return command.type;
    case 'ShipOrder':
      return command.shipDate === order.shippedOn ? 'ShipOrder on the same date' : command.type;
    case 'CancelOrder': {
      const isSame = command.reason === undefined || command.reason === order.cancelledFor;
      return isSame ? command.type : 'CancelOrder for another reason';
    }
  }
}

/** Returns what an order keeps of the command that ends it. */
function endOf(command: Command): Pick<OrderRow, 'shippedOn' | 'cancelledFor'> {
  if (command.type === 'ShipOrder') return { shippedOn: command.shipDate };
  const { reason } = command as Partial<CancelOrder>;
  return reason === undefined ? {} : { cancelledFor: reason };
}
