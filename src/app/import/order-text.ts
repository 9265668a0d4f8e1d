/** Orders as texts of a working table: small, and equal exactly if the orders are. */

import type { Instant } from '../../domain/instant.ts';
import type { CancelReason } from '../../domain/order.ts';
import type { OrderId, PetId } from '../../domain/order-id.ts';
import type { OrderStatus } from '../../domain/order-lives.ts';
import type { PresentOrder } from './import-plan.ts';

/** An order with a number: that of its line, or the position of its last event. */
export interface NumberedOrder<Order extends PresentOrder = PresentOrder> {
  readonly number: number;
  readonly order: Order;
}

/** Stands for a value that an order does not have. No value has this text. */
const NONE = '-';

/** Returns an order as a text, without its id. */
export function orderText({ number, order }: NumberedOrder): string {
  const { petId, quantity, status, shipDate = NONE, cancelReason = NONE } = order;
  return `${number} ${petId} ${quantity} ${status} ${shipDate} ${cancelReason}`;
}

/** Returns the order of an id and a text. */
export function orderOf(id: bigint, text: string): NumberedOrder {
  const [number, petId, quantity, status, shipDate, cancelReason] = text.split(' ') as [
    ...[string, string, string, OrderStatus],
    ...[Instant | typeof NONE, CancelReason | typeof NONE],
  ];
  const order = {
    id: id as OrderId,
    petId: BigInt(petId) as PetId,
    quantity: Number(quantity),
    shipDate: shipDate === NONE ? undefined : shipDate,
    status,
    ...(cancelReason !== NONE && { cancelReason }),
  };
  return { number: Number(number), order };
}

/** Returns true if two texts describe the same order, whatever the numbers of their lines. */
export function isSameOrder(a: string, b: string): boolean {
  return a.slice(a.indexOf(' ')) === b.slice(b.indexOf(' '));
}
