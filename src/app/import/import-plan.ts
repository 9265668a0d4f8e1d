/** The plan for importing one order. */

import type { OrderCommand } from '../../domain/order.ts';
import { hasShipped } from '../../domain/order-lives.ts';
import type { OrderDetails, OrderView } from '../state/order-list.ts';
import type { ImportedOrder } from './imported-order.ts';

/** The commands that bring an order into the state that a file demands. */
export type ImportPlan =
  /**
   * To be sent in this order, each only after the one before it was accepted. None if the order is
   * in the demanded state already, or beyond it.
   */
  | { readonly kind: 'possible'; readonly commands: readonly OrderCommand[] }
  /** The file contradicts the order as it is. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** An order as it is. */
export type PresentOrder = OrderView & Partial<Pick<OrderDetails, 'cancelReason'>>;

/** Plans the way from an order as it is, if there is one, to the state that a file demands. */
export function planImport(wanted: ImportedOrder, present: PresentOrder | undefined): ImportPlan {
  if (present === undefined) return possible(place(wanted), ...ending(wanted));
  if (wanted.petId !== present.petId) return impossible(`petId ${present.petId}`);
  if (wanted.quantity !== present.quantity) return impossible(`quantity ${present.quantity}`);
  if (wanted.status === 'pending') return possible();
  if (present.status === 'pending') return possible(...ending(wanted));
  if (wanted.status !== present.status) return impossible(`status ${present.status}`);
  if (wanted.status === 'shipped' && wanted.shipDate !== present.shipDate) {
    return impossible(`shipDate ${present.shipDate}`);
  }
  if (wanted.status === 'cancelled' && wanted.cancelReason !== undefined) {
    const { cancelReason } = present;
    if (cancelReason === undefined) return impossible('no cancelReason');
    if (wanted.cancelReason !== cancelReason) return impossible(`cancelReason ${cancelReason}`);
  }
  return possible();
}

function place({ id, petId, quantity, shipDate, status }: ImportedOrder): OrderCommand {
  const placed = { type: 'PlaceOrder', orderId: id, petId, quantity } as const;
  // The date of a shipped order is the day it shipped; the file does not have the expected one.
  return shipDate === undefined || hasShipped(status) ? placed : { ...placed, shipDate };
}

/** The command that ends an order, if it has ended. */
function ending(wanted: ImportedOrder): OrderCommand[] {
  switch (wanted.status) {
    case 'pending':
      return [];
    case 'shipped':
      return [{ type: 'ShipOrder', orderId: wanted.id, shipDate: wanted.shipDate }];
    case 'cancelled': {
      const cancelled = { type: 'CancelOrder', orderId: wanted.id } as const;
      const { cancelReason: reason } = wanted;
      return [reason === undefined ? cancelled : { ...cancelled, reason }];
    }
  }
}

function possible(...commands: readonly OrderCommand[]): ImportPlan {
  return { kind: 'possible', commands };
}

function impossible(fact: string): ImportPlan {
  return { kind: 'impossible', reason: `the order is there already, with ${fact}` };
}
